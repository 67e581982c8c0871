"""The first screen of a network's page and the page of a sweep, as WebP; `scripts/pictures` runs this.

The network is a fixture of the tests, the sweep is trained here: 48 small networks, a few minutes.
"""
import base64
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "browser"))

from selenium.webdriver.support.ui import WebDriverWait  # noqa: E402
from support import KETBRA, start_browser  # noqa: E402

GRID = """task = ["repeat-copy", "compose-copy"]
s = 3
d = 3
hidden = [12, 24]
l2 = [0, 0.001]
recipe = "table1"
steps = 2500
lr = 0.003
seed = "1-6"
"""
IMAGES = ROOT / "docs" / "images"


def ketbra(folder, *arguments):
    subprocess.run([KETBRA, *map(str, arguments)], check=True, cwd=folder)


def take(browser, page, at, size, name):
    width, height = size
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})
    browser.execute_cdp_cmd("Emulation.setScrollbarsHidden", {"hidden": True})
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": "light"}]})
    browser.get("about:blank")
    browser.get(page.as_uri() + at)
    WebDriverWait(browser, 60).until(lambda _: browser.execute_script("return window.ketbra?.completeAt"))
    shot = browser.execute_cdp_cmd("Page.captureScreenshot", {"format": "webp", "quality": 82})
    (IMAGES / name).write_bytes(base64.b64decode(shot["data"]))
    print(f"docs/images/{name}: {(IMAGES / name).stat().st_size // 1000} kB")


def main():
    with tempfile.TemporaryDirectory() as room:
        # A folder that holds a sweep from before is taken as it is.
        folder = Path(sys.argv[1] if len(sys.argv) > 1 else room).resolve()
        if not (folder / "runs" / "grid").exists():
            (folder / "grid.toml").write_text(GRID)
            ketbra(folder, "sweep", "grid.toml", "--out", "runs/grid")
        ketbra(folder, "report", ROOT / "core/tests/fixtures/networks/t3-h128.safetensors", "--task", "T3", "--out", "t3.html")
        ketbra(folder, "report", "runs/grid")
        browser = start_browser()
        try:
            take(browser, folder / "t3.html", "", (1240, 692), "page.webp")
            take(browser, folder / "runs/grid/report.html", "#open=4", (1240, 860), "sweep.webp")
        finally:
            browser.quit()


if __name__ == "__main__":
    main()
