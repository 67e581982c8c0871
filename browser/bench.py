"""How fast pages are in a real browser, in numbers; nothing here passes or fails.

python browser/bench.py FOLDER    where FOLDER was filled by the example `browser_pages`

Every figure stands beside one of the same run: pages beside an empty page in the same browser, the engine in a tab beside the command line.
"""
import json
import os
import subprocess
import sys
import time

if len(sys.argv) > 1:
    os.environ["KETBRA_PAGES"] = sys.argv[1]

from selenium.webdriver.support.ui import WebDriverWait  # noqa: E402
from support import FOLDER, KETBRA, InBrowser  # noqa: E402
from test_web import NETWORKS, PAGE, Web  # noqa: E402

TIMES = 5
PAGES = ["circuit", "trained", "long", "large", "sweep"]
PAINTED = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime"


def painted(browser):
    """When something was first to be seen; the browser may tell it a little later."""
    return WebDriverWait(browser.browser, 30, 0.05).until(lambda _: browser.js(PAINTED))


class Pages(InBrowser):
    def runTest(self):
        empty = min(self.empty() for _ in range(TIMES))
        print(f"an empty page: first paint {empty:.0f} ms")
        for name in PAGES:
            times = []
            for _ in range(TIMES):
                self.open(name)
                times.append((painted(self), self.js("ketbra.readyAt")))
            paint, ready = (min(each) for each in zip(*times))
            size = (FOLDER / f"{name}.html").stat().st_size
            print(f"{name}, {size // 1000} kB: first paint {paint:.0f} ms ({paint / empty:.1f} x an empty page), usable {ready:.0f} ms")

    def empty(self):
        blank = FOLDER / "empty.html"
        blank.write_text("<!doctype html><title>empty</title><p>empty")
        self.browser.get("about:blank")
        self.browser.get(blank.as_uri())
        return painted(self)


class Frames(InBrowser):
    calm = False

    def runTest(self):
        for name in ["circuit", "long"]:
            self.open(name)
            counted = lambda: self.js("[ketbra.player.frames, performance.now()]")
            before = counted()
            time.sleep(0.8)
            after = counted()
            print(f"{name}: {1000 * (after[0] - before[0]) / (after[1] - before[1]):.0f} frames a second")


class Engine(Web):
    def runTest(self):
        for name in ["t2-h128.safetensors", "gru-t3-h128.safetensors"]:
            self.drop(NETWORKS / name)
            tab = min(self.took(name) for _ in range(TIMES))
            line = min(native(name) for _ in range(TIMES))
            print(f"{name}: {tab:.2f} s in a tab, {line:.2f} s on the command line, {tab / line:.1f} times")

    def took(self, name):
        self.drop(NETWORKS / name)
        return self.js("ketbra.took") / 1000


def native(name):
    begin = time.monotonic()
    done = subprocess.run([KETBRA, "interpret", name, "--json"], cwd=NETWORKS, capture_output=True, check=True)
    assert json.loads(done.stdout)
    return time.monotonic() - begin


if __name__ == "__main__":
    for bench in [Pages, Frames, *([Engine] if PAGE.exists() else [])]:
        bench.setUpClass()
        try:
            one = bench()
            one.setUp()
            one.runTest()
        finally:
            bench.tearDownClass()
    if not PAGE.exists():
        print("the engine in a tab was left out: target/web/ketbra.html is missing; scripts/web makes it")
