"""A real browser, and what every test does with a page."""
import base64
import json
import os
import unittest
from pathlib import Path

from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

FOLDER = Path(os.environ.get("KETBRA_PAGES", "target/browser/pages")).resolve()
KETBRA = Path(os.environ.get("KETBRA", Path(__file__).parent.parent / "target/release/ketbra"))
CELLS = ["gru", "lstm", "lstm-whole", "stack", "mixed", "ssm", "leaky"]
NETWORKS = ["circuit", "trained", "blind", "superposed", "partial", "not-learned", "blind-silent", "other-kind", "unclear", "gates", "long", "large", *CELLS]
RECORDINGS = ["recordings", "not-held"]
VERDICTS = {"circuit", "superposed", "partial", "not-learned", "silent", "other-kind", "not-held", "unclear"}
# The browser's own calls home would drown those of a page.
FLAGS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
         "--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage", "--window-size=1440,900"]


def start_browser(calm=True):
    options = webdriver.ChromeOptions()
    options.binary_location = "/usr/bin/chromium"
    for flag in [*FLAGS, *(["--force-prefers-reduced-motion"] if calm else [])]:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    return webdriver.Chrome(options, webdriver.ChromeService("/usr/bin/chromedriver"))


class InBrowser(unittest.TestCase):
    calm = True

    @classmethod
    def setUpClass(cls):
        cls.browser = start_browser(cls.calm)

    @classmethod
    def tearDownClass(cls):
        cls.browser.quit()

    def open(self, name, at=""):
        self.open_file(FOLDER / f"{name}.html", at)
        return json.loads((FOLDER / f"{name}.json").read_text())

    def open_file(self, path, at=""):
        # An address that differs in its last part alone would not load the page again.
        self.browser.get("about:blank")
        self.browser.get(path.as_uri() + at)
        WebDriverWait(self.browser, 30).until(lambda _: self.js("window.ketbra?.completeAt"))

    def js(self, expression, *arguments):
        return self.browser.execute_script(f"return {expression}", *arguments)

    def by_id(self, name):
        return self.browser.find_element(By.ID, name)

    def all(self, selector):
        return self.browser.find_elements(By.CSS_SELECTOR, selector)

    def show(self, element):
        # The time bar lies over the lower edge, where the driver would leave the element.
        self.browser.execute_script("arguments[0].scrollIntoView({ block: 'center' })", element)

    def click(self, element):
        self.show(element)
        element.click()

    def present(self, expected):
        s, d = expected["s"], expected["d"]
        inputs = [expected["inputs"][t * d:(t + 1) * d] for t in range(s)]
        self.browser.execute_script(
            "ketbra.explorer.inputs = arguments[0].map((u) => Float64Array.from(u)); ketbra.explorer.recompute();", inputs)

    def runs(self, what, steps):
        return self.js(f"ketbra.explorer.run.{what}.slice(0, {steps}).map((x) => [...x])")

    def bytes_of(self, expression):
        """The bytes that a promise of a Blob, a text or an array of bytes comes to."""
        script = f"""const done = arguments[0]; Promise.resolve({expression}).then(async (made) => {{
            const reader = new FileReader(); reader.onload = () => done(reader.result.split(',')[1]); reader.readAsDataURL(new Blob([made])); }})"""
        return base64.b64decode(self.browser.execute_async_script(script))

    def edited(self):
        WebDriverWait(self.browser, 30).until(lambda _: self.by_id("edit-status").text.startswith("Done"))

    def assert_close(self, found, expected, tolerance=1e-5):
        self.assertEqual([len(x) for x in found], [len(x) for x in expected])
        worst = [max(abs(x - y) for x, y in zip(a, b)) for a, b in zip(found, expected)]
        for t, deviation in enumerate(worst):
            self.assertLessEqual(deviation, tolerance, f"step {t + 1}")
        return max(worst)

    def assert_quiet(self):
        """No message on the console, and nothing asked of anybody: the page needs its file alone."""
        self.assertEqual(self.browser.get_log("browser"), [])
        sent = [json.loads(entry["message"])["message"] for entry in self.browser.get_log("performance")]
        urls = [m["params"]["request"]["url"] for m in sent if m["method"] == "Network.requestWillBeSent"]
        outside = [url for url in urls if not url.startswith(("data:", "blob:", "about:")) and url.split("#")[0] != self.browser.current_url.split("#")[0]]
        self.assertEqual(outside, [])

    def narrow(self, width, height=844):
        self.width = width
        # A window has a least width; the page is told another one.
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 2, "mobile": width < 500})

    def wide(self):
        self.browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})

    def over_the_edge(self):
        """What sticks out to the right, but for what scrolls by itself."""
        return self.js("""[...document.querySelectorAll('body *')].filter((x) => !x.closest('nav, .cells-room, .now, pre, .wires, .skip, [hidden]')
            && x.getBoundingClientRect().right > arguments[0] + 1 && x.getBoundingClientRect().width > 0 && !x.closest('svg'))
            .map((x) => x.tagName + '#' + x.id + '.' + x.className).slice(0, 4)""", self.width)
