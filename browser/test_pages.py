"""What a person does with a page, done in a real browser.

python browser/test_pages.py FOLDER    where FOLDER was filled by the example `browser_pages`
"""
import json
import sys
import time
import unittest
from pathlib import Path

from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select, WebDriverWait

FOLDER = Path(sys.argv.pop(1) if len(sys.argv) > 1 else "target/browser").resolve()
CELLS = ["gru", "lstm", "lstm-whole", "stack", "mixed", "ssm"]
PAGES = ["circuit", "trained", "blind", "superposed", "not-learned", "blind-silent", "long", "large", *CELLS]
# The browser's own calls home would drown those of a page.
FLAGS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
         "--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage", "--force-prefers-reduced-motion", "--window-size=1440,900"]


def start_browser():
    options = webdriver.ChromeOptions()
    options.binary_location = "/usr/bin/chromium"
    for flag in FLAGS:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    return webdriver.Chrome(options, webdriver.ChromeService("/usr/bin/chromedriver"))


class Pages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.browser = start_browser()

    @classmethod
    def tearDownClass(cls):
        cls.browser.quit()

    def open(self, name):
        self.browser.get((FOLDER / f"{name}.html").as_uri())
        WebDriverWait(self.browser, 20).until(lambda _: self.js("window.ketbra?.readyAt"))
        return json.loads((FOLDER / f"{name}.json").read_text())

    def js(self, expression, *arguments):
        return self.browser.execute_script(f"return {expression}", *arguments)

    def by_id(self, name):
        return self.browser.find_element(By.ID, name)

    def click(self, element):
        # The time bar lies over the lower edge, where the driver would leave the element.
        self.browser.execute_script("arguments[0].scrollIntoView({ block: 'center' })", element)
        element.click()

    def present(self, expected):
        s, d = expected["s"], expected["d"]
        inputs = [expected["inputs"][t * d:(t + 1) * d] for t in range(s)]
        self.browser.execute_script(
            "ketbra.explorer.inputs = arguments[0].map((u) => Float64Array.from(u)); ketbra.explorer.recompute();", inputs)

    def runs(self, what, steps):
        return self.js(f"ketbra.explorer.run.{what}.slice(0, {steps}).map((x) => [...x])")

    def frame_rate(self):
        counted = lambda: self.js("[ketbra.player.frames, performance.now()]")
        before = counted()
        time.sleep(0.8)
        after = counted()
        return 1000 * (after[0] - before[0]) / (after[1] - before[1])

    def assert_close(self, found, expected, tolerance=1e-5):
        self.assertEqual([len(x) for x in found], [len(x) for x in expected])
        worst = [max(abs(x - y) for x, y in zip(a, b)) for a, b in zip(found, expected)]
        for t, deviation in enumerate(worst):
            self.assertLessEqual(deviation, tolerance, f"step {t + 1}")
        return max(worst)

    def test_every_page_loads_from_disk_without_errors_or_requests(self):
        for name in PAGES:
            with self.subTest(page=name):
                self.browser.get_log("browser"), self.browser.get_log("performance")
                self.open(name)
                self.browser.execute_script("document.getElementById('spectrum').scrollIntoView()")
                self.browser.execute_async_script("ketbra.plotted.then(arguments[0])")
                self.assertEqual(len(self.browser.find_elements(By.CSS_SELECTOR, ".js-plotly-plot .xtitle")) > 0, True)
                self.assertEqual(self.browser.get_log("browser"), [])
                sent = [json.loads(entry["message"])["message"] for entry in self.browser.get_log("performance")]
                urls = [m["params"]["request"]["url"] for m in sent if m["method"] == "Network.requestWillBeSent"]
                # Plotly's own style and the empty icon are written into the page as data.
                outside = [url for url in urls if not url.startswith(("data:", "blob:")) and url != self.browser.current_url]
                self.assertEqual(outside, [])

    def test_recordings_are_shown_episode_by_episode_and_nothing_is_run(self):
        expected = self.open("recordings")
        self.assertEqual(self.by_id("kind").text, "circuit")
        self.assertIn("recorded network is a circuit", self.by_id("sentence").text)
        for gone in ("edit", "weights-trained-figure"):
            self.assertFalse(self.browser.find_elements(By.ID, gone), gone)
        self.assertIn("episodes shuffled", self.by_id("weights-control-figure").text)
        before = self.js("[...ketbra.explorer.run.outputs[ketbra.explorer.s + arguments[0]]]", expected["step"])
        Select(self.browser.find_element(By.CSS_SELECTOR, "#try select")).select_by_index(expected["episode"])
        after = self.js("[...ketbra.explorer.run.outputs[ketbra.explorer.s + arguments[0]]]", expected["step"])
        self.assertNotEqual(before, after)
        for said, wanted in zip(after, expected["said"], strict=True):
            self.assertAlmostEqual(said, wanted, places=5)
        self.assertIn("all", self.by_id("score").text)
        errors = [entry for entry in self.browser.get_log("browser") if entry["level"] == "SEVERE"]
        self.assertFalse(errors)

    def test_what_fails_is_said_in_the_heading_and_only_a_circuit_is_called_one(self):
        for name in ["circuit", "superposed", "not-learned"]:
            self.open(name)
            kind, sentence = self.by_id("kind").text, self.by_id("sentence").text
            heading = self.browser.find_element(By.CSS_SELECTOR, "#weights h2").text
            failed = self.browser.find_elements(By.CSS_SELECTOR, "#claims .fails")
            self.assertEqual(kind == "circuit", heading == "Noise turns into a circuit", name)
            self.assertEqual(kind == "circuit", not failed, name)
            self.assertEqual(kind == "circuit", "is a circuit" in sentence, name)
        self.open("circuit")
        self.assertTrue(self.by_id("weights-control").is_displayed())
        self.assertIn("0 of", self.by_id("control").text)

    def test_every_page_fits_under_8_megabytes(self):
        for name in PAGES:
            self.assertLess((FOLDER / f"{name}.html").stat().st_size, 8_000_000, name)

    def test_the_browser_computes_what_the_library_computes_at_every_step(self):
        for name in PAGES:
            with self.subTest(page=name):
                expected = self.open(name)
                self.present(expected)
                steps = len(expected["outputs"])
                states = self.assert_close(self.runs("states", steps), expected["states"])
                outputs = self.assert_close(self.runs("outputs", steps), expected["outputs"])
                print(f"{name}: states within {states:.0e}, outputs within {outputs:.0e}")

    def test_the_browser_decodes_what_the_library_decodes(self):
        for name in ["circuit", "long"]:
            expected = self.open(name)
            self.present(expected)
            self.assert_close(self.runs("contents", len(expected["contents"])), expected["contents"])
        for name in ["gru", "lstm", "lstm-whole", "ssm"]:
            with self.subTest(page=name):
                expected = self.open(name)
                self.present(expected)
                steps, s = len(expected["contents"]), expected["s"]
                worst = self.assert_close(self.runs("contents", steps)[s:], expected["contents"][s:])
                print(f"{name}: contents within {worst:.0e}")

    def test_after_the_last_input_the_variables_of_a_gated_cell_hold_the_inputs(self):
        for name, least in [("gru", 0.95), ("lstm", 0.85)]:
            expected = self.open(name)
            self.present(expected)
            s, d = expected["s"], expected["d"]
            held = dict(zip(self.js("ketbra.explorer.memories.members"), self.runs("contents", s)[-1]))
            right = sum(value * expected["inputs"][slot] > 0 for slot, value in held.items())
            self.assertGreaterEqual(right / len(held), least, f"{name}: {right} of {len(held)}, {s} x {d}")

    def test_every_cell_is_named_and_its_weights_are_shown_as_what_they_are(self):
        about = {"gru": "GRU, 128 units", "lstm": "LSTM, 128 units, state (h, c)", "stack": "GRU, 2 layers of 24 units",
                 "ssm": "state-space layer, 64 units, 40 complex modes", "circuit": "128 hidden units"}
        gates = {"gru": ["r reset", "z update", "n candidate"], "lstm": ["i input", "f forget", "g candidate", "o output"],
                 "stack": ["r reset", "z update", "n candidate"], "ssm": [], "circuit": []}
        for name, named in about.items():
            with self.subTest(page=name):
                self.open(name)
                self.assertIn(named, self.by_id("about").text)
                self.assertEqual([x.text for x in self.browser.find_elements(By.CSS_SELECTOR, "#weights .gate > p")], gates[name])
                facts = dict(self.js("ketbra.explorer.data.meta.made"))
                self.assertEqual(facts["made of"].split(",")[0], {"circuit": "Elman"}.get(name, named.split(",")[0]))
        self.assertIn("This GRU is a circuit", self.open("gru") and self.by_id("sentence").text)

    def test_each_layer_of_a_stack_can_be_looked_at(self):
        self.open("stack")
        first = lambda: self.browser.find_element(By.CSS_SELECTOR, "#weights canvas").get_attribute("aria-label")
        self.assertIn("of layer 1, gate r", first())
        self.click(self.browser.find_element(By.XPATH, "//label[input[@name='weights-layer'][@value='1']]"))
        self.assertIn("of layer 2, gate r", first())
        self.assertEqual(self.js("ketbra.explorer.data.state.map(({ name, count }) => [name, count])"), [["layer 1", 24], ["layer 2", 24]])
        self.open("mixed")
        self.browser.execute_async_script("ketbra.plotted.then(arguments[0])")
        self.assertIn("GRU of 24 units, then state-space of 24 units", self.by_id("about").text)
        self.click(self.browser.find_element(By.XPATH, "//label[input[@name='weights-layer'][@value='1']]"))
        self.assertEqual(len(self.browser.find_elements(By.CSS_SELECTOR, "#weights .js-plotly-plot .xtitle")), 1)
        self.assertFalse(self.by_id("weights-scale").is_displayed())

    def test_the_modes_of_a_state_space_layer_lie_on_the_circle(self):
        self.open("ssm")
        self.browser.execute_async_script("ketbra.plotted.then(arguments[0])")
        x, y = self.js("((mode) => [[...mode.x], [...mode.y]])(document.querySelector('#weights .js-plotly-plot').data.find(({ name }) => name === 'mode'))")
        self.assertEqual(len(x), 40)
        self.assertIn("phases drawn anew", self.browser.find_element(By.CSS_SELECTOR, "#weights-control-figure figcaption").text)
        self.assertLess(max(abs((a * a + b * b) ** 0.5 - 1) for a, b in zip(x, y)), 1e-6)

    def test_an_lstm_says_which_part_of_its_state_was_read_and_what_the_whole_comes_to(self):
        expected = self.open("lstm")
        said = self.by_id("state").text
        self.assertIn("the units h, 128 of the 256 numbers", said)
        self.assertIn(f"On the whole state (h, tanh c) the verdict is {expected['whole_state']}", said)
        self.assertEqual(len(self.runs("seen", 1)[0]), 128)
        self.open("lstm-whole")
        self.assertIn("about the whole state (h, tanh c), 256 numbers", self.by_id("state").text)
        self.assertLessEqual(max(abs(x) for row in self.runs("seen", 48) for x in row), 1)
        self.assertGreater(max(abs(x) for row in self.runs("states", 48) for x in row), 1)
        self.open("circuit")
        self.assertFalse(self.by_id("state").is_displayed())

    def test_an_edit_in_the_page_is_the_edit_of_the_library(self):
        for name in ["trained", "circuit"]:
            with self.subTest(page=name):
                expected = self.open(name)
                self.present(expected)
                edited = expected["edited"]
                Select(self.by_id("preset")).select_by_value(edited["to"])
                self.click(self.by_id("apply"))
                WebDriverWait(self.browser, 20).until(lambda _: self.by_id("edit-status").text.startswith("Done"))
                self.assertEqual(self.js("ketbra.explorer.rewired.mode"), edited["mode"])
                self.assertEqual(self.js("ketbra.explorer.rewired.fresh"), edited["fresh_units"])
                self.assertAlmostEqual(self.js("ketbra.explorer.rewired.share"), edited["share"], places=5)
                self.assertIn("% of the weights", self.by_id("edit-status").text.split(",")[0])
                self.assert_close(self.runs("outputs", len(edited["outputs"])), edited["outputs"])
                self.assertIn("right", self.by_id("after-score").text)
                self.assertIn("wrong", self.by_id("before-score").text)

    def test_one_output_can_be_rewired_by_clicking_and_taken_back(self):
        self.open("circuit")
        before = self.by_id("wires").text
        self.click(self.browser.find_elements(By.CSS_SELECTOR, "#wires button")[2])
        self.click(self.browser.find_elements(By.CSS_SELECTOR, "#sources button")[5])
        self.click(self.browser.find_element(By.XPATH, "//label[input[@name='sign'][@value='-1']]"))
        self.assertIn("u3 = -u1[t-3]", self.by_id("wires").text)
        self.click(self.by_id("apply"))
        WebDriverWait(self.browser, 20).until(lambda _: self.by_id("edit-status").text.startswith("Done"))
        self.assertEqual(self.js("ketbra.explorer.sources[2]"), {"lag": 3, "component": 0, "sign": -1})
        self.assertGreater(self.js("ketbra.explorer.rewired.accuracy"), 0.99)
        self.click(self.by_id("restore"))
        self.assertEqual(self.by_id("wires").text, before)
        self.assertFalse(self.js("ketbra.explorer.edited"))

    def test_the_slider_the_steps_and_the_keyboard_move_time(self):
        self.open("circuit")
        slider = self.by_id("time")
        slider.send_keys(Keys.HOME)
        self.assertEqual(self.by_id("phase").text, "before the input")
        slider.send_keys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
        self.assertEqual(self.by_id("phase").text, "input, step 2 of 8")
        for _ in range(7):
            self.by_id("forward").click()
        self.assertEqual(self.by_id("phase").text, "output, step 1 of 48")
        self.by_id("back").click()
        self.assertEqual(self.js("ketbra.player.step"), 8)

    def test_playing_runs_at_20_frames_a_second_or_more(self):
        for name in ["circuit", "long"]:
            with self.subTest(page=name):
                self.open(name)
                self.by_id("time").send_keys(Keys.HOME)
                self.browser.execute_script("document.getElementById('circuit').scrollIntoView()")
                self.by_id("play").click()
                rate = max(self.frame_rate() for _ in range(3))
                self.assertGreater(self.js("ketbra.player.position"), 1.5)
                self.by_id("play").click()
                stopped = self.js("ketbra.player.position")
                time.sleep(0.2)
                self.assertEqual(self.js("ketbra.player.position"), stopped)
                print(f"{name}: {rate:.0f} frames a second")
                self.assertGreaterEqual(rate, 20)

    def test_the_first_paint_comes_in_under_2_seconds(self):
        for name in ["circuit", "long", "large"]:
            with self.subTest(page=name):
                self.open(name)
                paint = self.js("performance.getEntriesByName('first-contentful-paint')[0].startTime")
                usable = self.js("ketbra.readyAt")
                print(f"{name}: first paint {paint:.0f} ms, usable {usable:.0f} ms")
                self.assertLess(paint, 2000)
                if name != "large":
                    self.assertLess(usable, 2000)

    def test_bits_are_flipped_by_pointer_and_keyboard_and_digits_are_written(self):
        self.open("circuit")
        value = lambda: self.js("ketbra.explorer.inputs[0][0]")
        bit = self.browser.find_element(By.CSS_SELECTOR, "#bits button")
        before, outputs = value(), self.runs("outputs", 20)
        self.click(bit)
        self.assertEqual(value(), -before)
        self.assertNotEqual(self.runs("outputs", 20), outputs)
        bit.send_keys(Keys.SPACE)
        self.assertEqual(value(), before)
        bit.send_keys(Keys.ARROW_RIGHT)
        self.assertIn("step 2, component 1", self.js("document.activeElement.getAttribute('aria-label')"))
        write = self.by_id("write")
        write.clear()
        write.send_keys("77")
        self.assertEqual(self.js("[...ketbra.explorer.inputs[2].slice(0, 3)]"), [1, 1, 1])
        self.assertIn("signs right", self.by_id("score").text)

    def test_pages_without_something_do_not_show_an_empty_place_for_it(self):
        shown = lambda: self.js("[...document.querySelectorAll('main section[data-title]')].map((x) => x.id)")
        wanted = {
            "trained": {"circuit", "edit", "training"}, "circuit": {"circuit", "edit"}, "blind": {"circuit", "edit"},
            "superposed": {"circuit", "edit"}, "not-learned": set(), "blind-silent": set(),
            "gru": {"circuit"}, "lstm": {"circuit"}, "lstm-whole": {"circuit"}, "stack": set(), "ssm": {"circuit"},
        }
        for name, sections in wanted.items():
            with self.subTest(page=name):
                expected = self.open(name)
                self.assertEqual({x for x in shown() if x in {"circuit", "edit", "training"}}, sections)
                self.assertEqual(self.by_id("kind").text, expected["verdict"])
                canvases = self.browser.find_elements(By.CSS_SELECTOR, "canvas")
                self.assertTrue(all(c.size["height"] > 40 for c in canvases if c.is_displayed()))
                self.assertTrue(all(c.get_attribute("aria-label") for c in canvases if c.is_displayed()))

    def test_nothing_runs_over_the_edge_on_a_phone_and_both_themes_work(self):
        try:
            for name in ["circuit", "long", "not-learned", *CELLS]:
                self.open(name)
                for width in [390, 768]:
                    # A window has a least width; the page is told another one.
                    self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
                        "width": width, "height": 844, "deviceScaleFactor": 2, "mobile": width < 500})
                    over = self.js("document.documentElement.scrollWidth - innerWidth")
                    self.assertLessEqual(over, 0, f"{name} at {width}")
        finally:
            self.browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        self.open("circuit")
        theme = lambda: self.js("document.documentElement.dataset.theme")
        before = theme()
        self.by_id("theme").click()
        self.assertNotEqual(theme(), before)


if __name__ == "__main__":
    outcome = unittest.main(verbosity=2, exit=False).result
    bad = len({str(test).split(" (")[0] for test, _ in outcome.failures + outcome.errors})
    # In cargo's words, so that `check` counts these tests as it counts the others.
    print(f"test result: {'FAILED' if bad else 'ok'}. {outcome.testsRun - bad} passed; {bad} failed; 0 ignored")
    sys.exit(bad > 0)
