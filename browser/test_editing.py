"""Edits, the address, and what can be saved from a page."""
import csv
import io
import json
import subprocess
import tempfile
import xml.etree.ElementTree as xml
from pathlib import Path

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select, WebDriverWait

from support import KETBRA, InBrowser


class Edits(InBrowser):
    def test_an_edit_in_the_page_is_the_edit_of_the_library(self):
        for name in ["trained", "circuit"]:
            with self.subTest(page=name):
                expected = self.open(name)
                self.present(expected)
                edited = expected["edited"]
                Select(self.by_id("preset")).select_by_value(edited["to"])
                self.edited()
                self.assertEqual(self.js("ketbra.explorer.rewired.mode"), edited["mode"])
                self.assertEqual(self.js("ketbra.explorer.rewired.fresh"), edited["fresh_units"])
                self.assertAlmostEqual(self.js("ketbra.explorer.rewired.share"), edited["share"], places=5)
                self.assertIn("% of the weights", self.by_id("edit-status").text.split(",")[0])
                worst = self.assert_close(self.runs("outputs", len(edited["outputs"])), edited["outputs"])
                print(f"{name}: edited outputs within {worst:.0e}")
                self.assertIn("right", self.by_id("after-score").text)
                self.assertIn("wrong", self.by_id("before-score").text)

    def wire(self, output, within="#edit-wheel"):
        return self.all(f"{within} .wire[data-output='{output}']")[0]

    def place(self, slot):
        """The middle of a slot of the edit section's wheel, on the screen."""
        return self.js("((wheel, [x, y]) => { const b = wheel.svgNode.getBoundingClientRect(); return [b.left + x, b.top + y]; })(ketbra.wheels[1], ketbra.wheels[1].middle(arguments[0]))", slot)

    def test_a_wire_is_dragged_to_another_source_on_the_wheel(self):
        self.open("circuit")
        self.show(self.by_id("edit-wheel"))
        # u3 = -u3[t-6] is to copy component 1 of variable 6, which is three steps back.
        slot, handle = (6 - 1) * 8 + 0, self.wire(2).find_element(By.CSS_SELECTOR, ".handle")
        x, y = self.place(slot)
        box = self.js("((b) => [b.left + b.width / 2, b.top + b.height / 2])(arguments[0].getBoundingClientRect())", handle)
        ActionChains(self.browser, duration=50).move_to_element(handle).click_and_hold().move_by_offset((x - box[0]) / 2, (y - box[1]) / 2).move_by_offset(x - box[0] - (x - box[0]) / 2, y - box[1] - (y - box[1]) / 2).release().perform()
        self.edited()
        self.assertEqual(self.js("ketbra.explorer.sources[2]"), {"lag": 3, "component": 0, "sign": -1})
        self.assertGreater(self.js("ketbra.explorer.rewired.accuracy"), 0.99)
        self.assertEqual(self.all("#recurrence li")[2].text, "u3 = -u1[t-3]")

    def test_a_click_on_a_wire_flips_its_sign_and_everything_says_whose_it_is(self):
        self.open("circuit")
        self.show(self.by_id("edit-wheel"))
        ActionChains(self.browser).move_to_element(self.wire(4).find_element(By.CSS_SELECTOR, ".handle")).click().perform()
        self.edited()
        self.assertEqual(self.js("ketbra.explorer.sources[4]"), {"lag": 7, "component": 1, "sign": 1})
        self.assertTrue(self.by_id("sentence").text.startswith("You edited this network: 1 line of its rule is new"))
        self.assertEqual(self.by_id("kind").text, "edited")
        self.assertIn("by the new rule each next bit is a copy of an earlier one, up to 8 steps before, 5 of 8 with the sign flipped", self.by_id("task").text)
        self.assertTrue(self.by_id("about-figures").is_displayed())
        for section in ["how", "weights", "spectrum", "doubts"]:
            note = self.all(f"#{section} .of-trained-note")[0]
            self.assertTrue(note.is_displayed(), section)
        before, after = (self.by_id(name).rect for name in ("before", "after"))
        self.assertEqual((before["x"], before["width"]), (after["x"], after["width"]))
        self.click(self.by_id("restore"))
        self.assertFalse(self.js("ketbra.explorer.edited"))
        self.assertFalse(self.all("#how .of-trained-note")[0].is_displayed())
        self.assertIn("is a circuit", self.by_id("sentence").text)

    def test_the_keyboard_edits_on_the_wheel_and_in_the_list(self):
        self.open("circuit")
        self.js("arguments[0].focus()", self.wire(0))
        self.browser.switch_to.active_element.send_keys(Keys.ENTER)
        self.edited()
        self.assertEqual(self.js("ketbra.explorer.sources[0].sign"), 1)
        self.click(self.by_id("restore"))
        before = self.by_id("wires").text
        self.js("arguments[0].focus()", self.all("#wires button")[0])
        self.browser.switch_to.active_element.send_keys(Keys.ARROW_DOWN)
        self.browser.switch_to.active_element.send_keys(Keys.ARROW_DOWN)
        self.js("arguments[0].focus()", self.all("#sources [aria-pressed=true]")[0])
        for key in [Keys.ARROW_UP, Keys.ARROW_UP, Keys.ARROW_RIGHT, Keys.ENTER]:
            self.browser.switch_to.active_element.send_keys(key)
        self.edited()
        self.assertEqual(self.js("ketbra.explorer.sources[2]"), {"lag": 5, "component": 0, "sign": -1})
        self.assertGreater(self.js("ketbra.explorer.rewired.accuracy"), 0.99)
        self.click(self.by_id("restore"))
        self.assertEqual(self.by_id("wires").text, before)

    def test_the_downloaded_network_gives_the_same_verdict_on_the_command_line(self):
        for name in ["trained", "circuit"]:
            with self.subTest(page=name), tempfile.TemporaryDirectory() as folder:
                to = self.open(name)["edited"]["to"]
                Select(self.by_id("preset")).select_by_value(to)
                self.edited()
                saved = Path(folder, "edited.safetensors")
                saved.write_bytes(self.bytes_of("ketbra.editor.file()"))
                said = subprocess.run([KETBRA, "interpret", saved, "--json"], capture_output=True, text=True, check=True).stdout
                found = json.loads(said)
                self.assertEqual(found["task"]["name"], to)
                self.assertAlmostEqual(found["accuracy"]["value"], self.js("ketbra.explorer.rewired.accuracy"), delta=0.005)
                fixture = {"trained": "t2-h128", "circuit": "t3-h128"}[name]
                network = Path(__file__).parent.parent / f"core/tests/fixtures/networks/{fixture}.safetensors"
                subprocess.run([KETBRA, "edit", network, "--to", to, "--out", Path(folder, "typed")], capture_output=True, check=True)
                typed = json.loads(subprocess.run([KETBRA, "interpret", Path(folder, "typed"), "--json"], capture_output=True, text=True, check=True).stdout)
                self.assertEqual([(c["name"], c["holds"]) for c in typed["claims"]], [(c["name"], c["holds"]) for c in found["claims"]])
                self.assertEqual(typed["verdict"], found["verdict"])


class Address(InBrowser):
    def test_a_link_restores_input_step_edit_and_view(self):
        self.open("circuit")
        self.click(self.all("[data-pattern=flip]")[0])
        self.js("ketbra.editor.change(1, { lag: 2, component: 4, sign: -1 })")
        self.edited()
        self.browser.execute_script("ketbra.weights.restore(1, 'difference'); ketbra.player.seek(23); ketbra.address.write()")
        look = "[ketbra.explorer.inputs.map((u) => [...u]), ketbra.player.step, ketbra.explorer.sources, ketbra.explorer.edited, ketbra.weights.view, ketbra.weights.share, [...ketbra.explorer.run.outputs.at(-1)]]"
        before, at = self.js(look), self.js("location.hash")
        self.assertGreater(len(at), 40)
        self.open("circuit", at)
        self.edited()
        WebDriverWait(self.browser, 5).until(lambda _: self.js("ketbra.player.step") == 23)
        self.assertEqual(self.js(look), before)

    def test_what_a_person_does_goes_into_the_address_and_links_lead_to_sections(self):
        self.open("circuit")
        self.assertEqual(self.js("location.hash"), "")
        self.js("document.body.focus()")
        self.browser.find_element(By.TAG_NAME, "body").send_keys(Keys.ARROW_LEFT)
        WebDriverWait(self.browser, 5).until(lambda _: "t=55" in self.js("location.hash"))
        self.all("#contents a[data-to=spectrum]")[0].click()
        WebDriverWait(self.browser, 5).until(lambda _: "at=spectrum" in self.js("location.hash"))

    def test_an_address_that_means_nothing_does_no_harm(self):
        for at in ["#f=9.99_1&t=abc&u=zz&view=none&turn=x&at=nowhere", "#spectrum", "#%"]:
            self.browser.get_log("browser")
            self.open("circuit", at)
            self.assertFalse(self.js("ketbra.explorer.edited"))
            self.assertEqual(self.browser.get_log("browser"), [])


class Files(InBrowser):
    def test_every_chart_is_saved_as_valid_svg_png_and_csv(self):
        for name, least in [("trained", 11), ("superposed", 10), ("gru", 8), ("not-learned", 4), ("pair", 6)]:
            with self.subTest(page=name):
                self.open(name)
                charts = self.js("ketbra.exported.map(({ name }) => name)")
                self.assertGreaterEqual(len(charts), least, charts)
                self.assertEqual(len(charts), len(set(charts)))
                for k, chart in enumerate(charts):
                    text, png, table = (self.bytes_of(f"ketbra.exported[{k}].make.{kind}().then(([made]) => made)") for kind in ("SVG", "PNG", "CSV"))
                    drawing = xml.fromstring(text)
                    self.assertTrue(drawing.tag.endswith("}svg") and float(drawing.get("width")) > 50, chart)
                    self.assertGreater(len(list(drawing.iter())), 4, chart)
                    self.assertNotIn(b"var(--", text, chart)
                    self.assertEqual(png[:8], b"\x89PNG\r\n\x1a\n", chart)
                    self.assertGreater(len(png), 500, chart)
                    rows = list(csv.reader(io.StringIO(table.decode())))
                    self.assertGreater(len(rows), 2, chart)
                    self.assertEqual({len(row) for row in rows}, {len(rows[0])}, chart)

    def test_the_csv_of_the_run_holds_what_the_network_says(self):
        expected = self.open("circuit")
        self.present(expected)
        k = self.js("ketbra.exported.findIndex(({ name }) => name === 'run')")
        rows = list(csv.reader(io.StringIO(self.bytes_of(f"ketbra.exported[{k}].make.CSV().then(([made]) => made)").decode())))
        said = [[float(x) for x in row[2:10]] for row in rows[1:] if row[1] == "output"][:40]
        self.assert_close(said, expected["outputs"][8:48])

    def test_the_command_that_made_the_page_is_offered(self):
        self.open("circuit")
        self.assertIn("Copy a link to this view", self.by_id("copy-tools").text)
