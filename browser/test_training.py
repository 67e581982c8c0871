"""Training, watched: a small network is trained with snapshots, and its page has a slider through them."""
import json
import math
import re
import struct
import subprocess
import tempfile
from pathlib import Path

from selenium.webdriver.common.keys import Keys

from support import KETBRA, InBrowser


def tensors(path):
    """Names, shapes and values of a safetensors file."""
    raw = path.read_bytes()
    size = struct.unpack("<Q", raw[:8])[0]
    header, rest = json.loads(raw[8:8 + size]), raw[8 + size:]
    kinds = {"F32": "f", "I64": "q"}
    part = lambda about: struct.unpack(f"<{math.prod(about['shape'])}{kinds[about['dtype']]}", rest[slice(*about["data_offsets"])])
    return {name: (about["shape"], part(about)) for name, about in header.items() if name != "__metadata__"}


class Training(InBrowser):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.room = tempfile.TemporaryDirectory()
        run = Path(cls.room.name) / "run"
        call = lambda *arguments: subprocess.run([KETBRA, *map(str, arguments)], check=True, capture_output=True)
        call("train", "repeat-copy", "--s", 3, "--d", 2, "--hidden", 24, "--steps", 1500, "--lr", 0.003, "--recipe", "table1", "--snapshots", 8, "--metrics-every", 50, "--out", run)
        call("report", run)
        call("figures", run, "--dpi", 72)
        cls.run_folder, cls.kept = run, tensors(run / "snapshots.safetensors")

    @classmethod
    def tearDownClass(cls):
        cls.room.cleanup()
        super().tearDownClass()

    def test_the_slider_goes_through_the_weights_that_were_kept(self):
        self.open_file(self.run_folder / "report.html")
        slider = self.all("#snapshots input")[0]
        self.show(slider)
        shape, weights = self.kept["rnn.weight_hh_l0"]
        steps, size = self.kept["step"][1], shape[1] * shape[2]
        self.assertEqual(int(slider.get_attribute("max")) + 1, len(steps))
        slider.send_keys(Keys.HOME)
        seen = []
        memories = []
        for k, step in enumerate(steps):
            said = self.all("#snapshots .note")[0].text
            self.assertTrue(said.startswith(f"Step {step}"), said)
            # The real parts of the eigenvalues add up to the trace of the weights that the file holds.
            trace = sum(weights[k * size + i * (shape[2] + 1)] for i in range(shape[1]))
            shown = self.js("ketbra.explorer.data.training.snapshots[arguments[0]].eigenvalues", k)
            self.assertAlmostEqual(sum(re for re, _ in shown), trace, delta=0.02)
            self.assertEqual(len(self.all("#snapshots .learned")), len(shown))
            # Memories that are there are those of which the note speaks.
            held = re.search(r"(\d+) of (\d+) contents read", said)
            self.assertEqual(len(self.all("#snapshots .held")), int(held[1]) if held else 0, said)
            memories.append(len(self.all("#snapshots .held")))
            self.assertEqual(len(self.all("#snapshots .held, #snapshots .kept")), 6)
            seen.append(self.js("[...document.querySelectorAll('#snapshots .learned')].map((x) => x.getAttribute('cx')).join()"))
            cursor = self.js("Number(document.querySelector('#curves .cursor').getAttribute('x1'))")
            self.assertAlmostEqual(cursor, self.js("Number(document.querySelector('#curves .cursor').getAttribute('x2'))"))
            slider.send_keys(Keys.ARROW_RIGHT)
        self.assertEqual(len(set(seen)), len(steps))
        self.assertLess(memories[0], memories[-1])
        # The last of them are the weights that the page is about.
        last = self.js("ketbra.explorer.data.training.snapshots.at(-1).eigenvalues.map(([re]) => re).sort()")
        own = self.js("ketbra.explorer.data.spectra.origin.eigenvalues.map(([re]) => re).sort()")
        self.assertLess(max(abs(a - b) for a, b in zip(sorted(last), sorted(own), strict=True)), 2e-3)

    def test_it_fits_on_a_phone(self):
        try:
            for width in [390, 768, 1440]:
                self.narrow(width)
                self.open_file(self.run_folder / "report.html")
                self.assertEqual(self.over_the_edge(), [], width)
        finally:
            self.wide()

    def test_the_animation_has_a_frame_for_each(self):
        made = (self.run_folder / "figures" / "training.gif").read_bytes()
        self.assertEqual(made.count(b"\x21\xf9\x04"), len(self.kept["step"][1]))
        self.assertLess(len(made), 1_000_000)
