"""ketbra in a browser tab: the same answers as the command line's, from one file that asks nobody for anything."""
import base64
import json
import math
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

from support import KETBRA, InBrowser

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "target/web/ketbra.html"
NETWORKS = ROOT / "core/tests/fixtures/networks"
MOST_BYTES = 3_000_000
LONGEST_FREEZE = 0.5  # between two signs of life of the page while the engine works, as a share of that time
DROP = """const transfer = new DataTransfer();
for (const { name, base64 } of arguments[0]) transfer.items.add(new File([Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))], name));
dispatchEvent(new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true }));"""


def far_apart(ours, theirs, place=""):
    """Where two JSON values differ by more than 1e-9, absolutely or of their size."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        if list(ours) != list(theirs):
            return [f"{place}: keys {set(ours) ^ set(theirs)}"]
        return [line for key in ours for line in far_apart(ours[key], theirs[key], f"{place}.{key}")]
    if isinstance(ours, list) and isinstance(theirs, list):
        if len(ours) != len(theirs):
            return [f"{place}: {len(ours)} and {len(theirs)} entries"]
        return [line for k, pair in enumerate(zip(ours, theirs)) for line in far_apart(*pair, f"{place}[{k}]")]
    numbers = all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in (ours, theirs))
    same = math.isclose(ours, theirs, rel_tol=1e-9, abs_tol=1e-9) if numbers else ours == theirs
    return [] if same else [f"{place}: {ours} and {theirs}"]


@unittest.skipUnless(PAGE.exists(), "SKIPPED: target/web/ketbra.html is missing; scripts/web makes it")
class Web(InBrowser):
    def setUp(self):
        self.browser.get("about:blank")
        self.browser.get(PAGE.as_uri())
        self.wait("ketbra.engine.ready.then(() => true)")

    def wait(self, expression, seconds=120):
        WebDriverWait(self.browser, seconds).until(lambda _: self.js(expression))

    def drop(self, *files):
        self.browser.execute_script(DROP, [{"name": Path(file).name, "base64": base64.b64encode(Path(file).read_bytes()).decode()} for file in files])
        time.sleep(.1)
        return self.answer()

    def answer(self):
        self.wait("!ketbra.busy && ketbra.answer !== null")
        # As text: the driver would sort the keys.
        return json.loads(self.js("JSON.stringify(ketbra.answer.json ?? ketbra.answer)"))

    def command(self, *words, cwd=NETWORKS):
        """What the command line prints as JSON, of work that succeeds or fails."""
        done = subprocess.run([KETBRA, *words], cwd=cwd, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        return json.loads(done.stdout)

    def same_as_the_command_line(self, name):
        found = self.drop(NETWORKS / name)
        self.assertEqual(far_apart(found, self.command("interpret", name, "--json")), [])
        self.browser.switch_to.frame("report")
        self.wait("window.ketbra?.completeAt")
        self.browser.switch_to.default_content()
        self.assert_quiet()

    def test_an_elman_network_is_read_as_on_the_command_line(self):
        self.same_as_the_command_line("t2-h128.safetensors")

    def test_a_gru_is_read_as_on_the_command_line(self):
        self.same_as_the_command_line("gru-t3-h128.safetensors")

    def test_a_damaged_network_is_refused_in_the_same_words(self):
        whole = (NETWORKS / "t2-h128.safetensors").read_bytes()
        with tempfile.TemporaryDirectory() as folder:
            for name, contents in [("short.safetensors", whole[:1000]), ("torn.pt", b"PK\x03\x04" + whole[:500]), ("zeros.npz", bytes(64))]:
                path = Path(folder) / name
                path.write_bytes(contents)
                said = self.command("interpret", name, "--json", cwd=folder)["error"]
                self.assertEqual(self.drop(path), {"error": said})
                self.assertEqual(self.by_id("problem").text, said)
        self.assert_quiet()

    def test_the_page_stays_alive_while_the_engine_works(self):
        self.browser.execute_script("""window.gap = 0; let last = performance.now();
            setInterval(() => { const now = performance.now(); if (ketbra.busy) window.gap = Math.max(window.gap, now - last); last = now; }, 10);""")
        self.drop(NETWORKS / "gru-t3-h128.safetensors")
        self.assertLess(self.js("window.gap"), LONGEST_FREEZE * self.js("ketbra.took"))

    def test_work_can_be_stopped_and_the_next_goes_on(self):
        self.by_id("pick").send_keys(str(NETWORKS / "gru-rule110-h128.safetensors"))
        self.wait("!document.getElementById('busy').hidden && document.getElementById('progress').value > 0")
        self.by_id("stop").click()
        self.wait("!ketbra.busy")
        self.assertEqual(self.by_id("problem").text, "stopped")
        self.assertEqual(self.drop(NETWORKS / "t3-h64-superposed.safetensors")["verdict"], "superposed")

    def test_two_dropped_networks_are_compared(self):
        names = ["t2-h128.safetensors", "t3-h128.safetensors"]
        found = self.drop(*(NETWORKS / name for name in names))
        theirs = self.command("compare", *names, "--json")
        # DSA is where a descent ends, which rounding decides.
        ours_dsa, their_dsa = found["pairs"][0]["measures"].pop("dsa"), theirs["pairs"][0]["measures"].pop("dsa")
        self.assertAlmostEqual(ours_dsa, their_dsa, delta=1e-2)
        self.assertEqual(far_apart(found, theirs), [])
        self.browser.switch_to.frame("report")
        self.wait("window.ketbra?.completeAt")
        self.browser.switch_to.default_content()
        self.assert_quiet()

    def test_a_network_is_made_edited_and_taken_home(self):
        with tempfile.TemporaryDirectory() as folder:
            self.by_id("make-task").clear()
            self.by_id("make-task").send_keys("T1")
            self.click(self.browser.find_element(By.CSS_SELECTOR, "#compile button"))
            self.wait("ketbra.shelf.length === 1 && !ketbra.busy && ketbra.answer?.json.verdict")
            self.command("compile", "T1", "--out", "t1", "--json", cwd=folder)
            made = self.bytes_of("ketbra.shelf[0].bytes")
            self.assertEqual(len(made), (Path(folder) / "t1/network.safetensors").stat().st_size)
            home = [link.text for link in self.all("#files a")]
            for name in ["report.html", "interpretation.json", "memories.safetensors", "network.safetensors", "truth.json"]:
                self.assertIn(name, home)
            self.by_id("change").send_keys("T2")
            self.click(self.browser.find_element(By.CSS_SELECTOR, "#edit button"))
            self.wait("ketbra.shelf.length === 2 && !ketbra.busy && ketbra.answer?.json.verdict")
            self.assertIn("-> T2", self.by_id("said").text.replace("compose-copy", "T2"))
        self.assert_quiet()

    def test_one_of_ours_is_read_and_the_page_is_small(self):
        self.assertLess(PAGE.stat().st_size, MOST_BYTES)
        self.click(self.all("#ours button")[1])
        self.assertEqual(self.answer()["verdict"], "superposed")
        self.narrow(390)
        self.assertEqual(self.over_the_edge(), [])
        self.wide()
        self.assert_quiet()
