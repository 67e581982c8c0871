"""The page of one network: what it computes, what it says, how it is used."""
import time

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select, WebDriverWait

from support import FOLDER, NETWORKS, RECORDINGS, VERDICTS, InBrowser


class Computes(InBrowser):
    def test_every_page_loads_from_disk_without_errors_or_requests(self):
        for name in [*NETWORKS, *RECORDINGS]:
            with self.subTest(page=name):
                self.browser.get_log("browser"), self.browser.get_log("performance")
                self.open(name)
                self.assertGreater(len(self.all("svg.spectrum .learned")), 0)
                self.assert_quiet()

    def test_pages_are_small(self):
        sizes = {name: (FOLDER / f"{name}.html").stat().st_size for name in [*NETWORKS, *RECORDINGS, "pair", "sweep"]}
        print({name: f"{size // 1000} kB" for name, size in sizes.items()})
        for name in ["circuit", "trained", "blind", "superposed", "partial", "not-learned", "unclear", "gates", "gru", "lstm", "lstm-whole", *RECORDINGS]:
            self.assertLess(sizes[name], 400_000, name)
        self.assertLess(sizes["long"], 800_000)
        self.assertLess(max(sizes.values()), 8_000_000)

    def test_the_browser_computes_what_the_library_computes_at_every_step(self):
        for name in NETWORKS:
            with self.subTest(page=name):
                expected = self.open(name)
                self.present(expected)
                steps = len(expected["outputs"])
                states = self.assert_close(self.runs("states", steps), expected["states"])
                outputs = self.assert_close(self.runs("outputs", steps), expected["outputs"])
                print(f"{name}: states within {states:.0e}, outputs within {outputs:.0e}")

    def test_the_browser_decodes_what_the_library_decodes(self):
        for name, first in [("circuit", 0), ("long", 0), ("gru", 8), ("lstm", 8), ("lstm-whole", 8), ("ssm", 8), ("leaky", 3)]:
            with self.subTest(page=name):
                expected = self.open(name)
                self.present(expected)
                found = self.runs("contents", len(expected["contents"]))
                worst = self.assert_close(found[first:], expected["contents"][first:])
                print(f"{name}: contents within {worst:.0e}")

    def test_after_the_last_input_the_variables_of_a_gated_cell_hold_the_inputs(self):
        for name, least in [("gru", 0.95), ("lstm", 0.85)]:
            expected = self.open(name)
            self.present(expected)
            s, d = expected["s"], expected["d"]
            held = dict(zip(self.js("ketbra.explorer.memories.members"), self.runs("contents", s)[-1]))
            right = sum(value * expected["inputs"][slot] > 0 for slot, value in held.items())
            self.assertGreaterEqual(right / len(held), least, f"{name}: {right} of {len(held)}, {s} x {d}")

    def test_turning_the_weights_changes_coordinates_and_nothing_else(self):
        self.open("circuit")
        trace = "((m) => { let sum = 0; for (let k = 0; k < m.rows; k++) sum += m.data[k * m.cols + k]; return sum; })"
        self.browser.execute_script("ketbra.weights.restore(1, 'weights')")
        traces = self.js(f"[0, 0.3, 0.7, 1].map((t) => {trace}(ketbra.weights.turning.at(t)))")
        for value in traces[1:]:
            self.assertAlmostEqual(value, traces[0], places=6)
        # At the end stands what readers and memories make of W.
        off = self.js("""((w, { readers, columns, members }) => { const end = ketbra.weights.turning.at(1), n = members.length, units = w.rows; let worst = 0;
            for (let i = 0; i < n; i++) { const row = new Float64Array(units); for (let k = 0; k < units; k++) for (let j = 0; j < units; j++) row[j] += readers.data[i * units + k] * w.data[k * units + j];
              for (let c = 0; c < n; c++) { let sum = 0; for (let j = 0; j < units; j++) sum += row[j] * columns.data[j * n + c]; worst = Math.max(worst, Math.abs(sum - end.data[i * units + c])); } }
            return worst; })(ketbra.explorer.trained.layers[0].recurrent, ketbra.explorer.memories)""")
        self.assertLess(off, 0.01)

    def test_the_control_turns_with_the_slider_and_stays_noise(self):
        self.open("circuit")
        shown = lambda share: self.browser.execute_script("""ketbra.weights.restore(arguments[0], 'weights');
            const { values, options: { rows, cols, limit } } = ketbra.weights.control.map; return { values: [...values], rows, cols, limit, largest: ketbra.weights.map.options.limit };""", share)
        begin, end = shown(0), shown(1)
        # The same numbers in another order, and under the same colours.
        weights = self.js("[...ketbra.explorer.trained.layers[0].recurrent.data]")
        self.assertEqual(sorted(begin["values"]), sorted(weights))
        self.assertNotEqual(begin["values"], weights)
        self.assertEqual((end["limit"], end["rows"]), (end["largest"], end["cols"]))
        # All rows of the weights are the circuit's at the end of the turn; of the control at most a few, by chance.
        right = lambda which: self.js("""(({ values, options: { cols } }, theory) => { const n = theory.rows; let right = 0;
            for (let i = 0; i < n; i++) { let worst = 0; for (let j = 0; j < n; j++) worst = Math.max(worst, Math.abs(values[i * cols + j] - theory.data[i * n + j])); right += worst < 0.5; }
            return right; })(arguments[0], ketbra.explorer.memories.theory)""".replace("arguments[0]", which))
        self.assertEqual(right("ketbra.weights.map"), 36)
        self.assertLessEqual(right("ketbra.weights.control.map"), 2)
        self.assertIn("units shuffled", self.by_id("weights-control-figure").text)
        self.browser.execute_script("ketbra.weights.restore(1, 'learned')")
        self.assertIn("a step with weights shuffled", self.by_id("weights-control-figure").text)

    def test_counts_cover_no_eigenvalue(self):
        for name in ["circuit", "trained", "superposed", "partial", "long"]:
            self.open(name)
            covered = self.js("""[...document.querySelectorAll('#spectra svg')].flatMap((chart) => { const marks = [...chart.querySelectorAll('circle.learned, circle.theory')].map((x) => x.getBoundingClientRect());
                return [...chart.querySelectorAll('.count')].filter((text) => { const b = text.getBoundingClientRect(); return marks.some((m) => { const x = m.left + m.width / 2, y = m.top + m.height / 2; return x > b.left && x < b.right && y > b.top && y < b.bottom; }); }).map((x) => x.textContent); })""")
            self.assertEqual(covered, [], name)

    def test_the_strip_shows_the_angle_errors_that_the_library_found(self):
        for name in ["circuit", "long", "gru"]:
            expected = self.open(name)["found"]["spectrum"]["orbit"]
            pairs = self.js("pairedAngles(ketbra.explorer.data.spectra.orbit.eigenvalues.filter((z) => Math.hypot(...z) > 0.8), ketbra.explorer.data.spectra.theory.filter((z) => Math.hypot(...z) > 0.8)).map(({ off }) => Math.abs(off))")
            self.assertAlmostEqual(sum(pairs) / len(pairs), expected["error"], delta=1e-9 + 1e-6 * expected["error"], msg=name)
            self.assertAlmostEqual(max(pairs), expected["worst_error"], delta=1e-9 + 1e-6 * expected["worst_error"], msg=name)


class Says(InBrowser):
    def test_every_verdict_has_a_page_that_is_looked_at(self):
        self.assertEqual({self.open(name)["found"]["verdict"] for name in [*NETWORKS, *RECORDINGS] if name not in ("large", "long")}, VERDICTS)

    def test_every_number_is_that_of_json(self):
        for name in [*NETWORKS, *RECORDINGS]:
            with self.subTest(page=name):
                found = self.open(name)["found"]
                failed = [claim["name"] for claim in found["claims"] if not claim["holds"]]
                count = len(found["claims"])
                self.assertEqual(self.by_id("kind").text, found["verdict"])
                self.assertEqual([x.get_attribute("data-claim") for x in self.all("#claims li:not(.control)")], [claim["name"] for claim in found["claims"]])
                self.assertEqual([x.get_attribute("data-claim") for x in self.all("#claims .fails")], failed)
                heading = self.by_id("claims-heading").text
                self.assertIn(("the one claim fails" if failed else "the one claim holds") if count == 1 else f"all {count} claims hold" if count and not failed else f"all {count} claims fail" if count and len(failed) == count else f"{len(failed)} of {count} claims" if count else "How we know", heading)
                figures = {x.get_attribute("data-figure"): x.find_element(By.TAG_NAME, "b").text for x in self.all("#figures .noted")}
                wanted = {}
                if found["accuracy"]:
                    wanted["Accuracy"] = f"{found['accuracy']['value']:.4f}"
                if found["code"]:
                    if found.get("recording"):
                        recording = found["recording"]
                        wanted |= {"Worst reading": f"{recording['worst_reading']['value']:.3f}", "Against shuffled inputs": f"p = {recording['null']['p']:.2f}"}
                    wanted |= {"Explained": f"{found['code']['explained']:.4f}", "Contents read": f"{found['code']['read']} of {found['code']['count']}"}
                lasting = found["spectrum"].get("memories") or found["spectrum"]["orbit"]
                if lasting["expected"] is not None and found["rank"]:
                    if lasting["error"] is None:
                        wanted["Lasting eigenvalues"] = f"{lasting['found']} of {lasting['expected']}"
                    else:
                        error = figures.pop("Spectral error")
                        self.assertAlmostEqual(float(error.removesuffix(" rad")), lasting["error"], delta=0.06 * lasting["error"])
                for claim, shown in zip(found["claims"], self.all("#claims li:not(.control)")):
                    self.assertIn(claim["statement"][1:], shown.text)
                    self.assertIn("holds" if claim["holds"] else "FAILS", shown.text)
                self.assertEqual(figures, wanted)
                sentence = self.by_id("sentence").text
                self.assertEqual(found["verdict"] == "circuit", "is a circuit" in sentence)
                if found["verdict"] == "circuit":
                    self.assertIn(f"keeps {found['code']['count']} ", sentence)
                    self.assertIn(f"all {count} claims", sentence)
                if found["verdict"] == "superposed":
                    self.assertIn(f"{len(found['not_linear'])} of them", sentence)
                    self.assertIn(f"into {lasting['found']} directions that do not fade", sentence)
                    self.assertIn(f"{len(failed)} of {count} claims fail", sentence)
                if found["verdict"] == "partial" and len(failed) > 1:
                    self.assertIn(f"{len(failed)} of {count} claims fail", sentence)
                if found["verdict"] == "not-learned":
                    self.assertTrue("is forgotten" in sentence if found["reasons"][0]["kind"] == "silent" else "has not learned" in sentence or "no rule" in sentence, sentence)
                if found["verdict"] == "not-held":
                    self.assertIn("do not hold", sentence)
                if found["verdict"] == "unclear":
                    self.assertIn("cannot be told", sentence)
                if found["accuracy"] and "% of its outputs right" in sentence:
                    share = float(sentence.split("% of its outputs right")[0].split()[-1])
                    self.assertEqual(f"{share / 100:.4f}", figures["Accuracy"].replace("1.0000", "0.9999"))
                if found["accuracy"]:
                    self.assertEqual("should then go on" in self.by_id("task").text, found["accuracy"]["value"] < 0.98)
                heading = self.by_id("weights-heading").text
                self.assertEqual(found["verdict"] == "circuit", heading in ("Noise turns into a circuit", "Turning modes make a circuit", "How contents move"))
                if found["code"] and found["verdict"] != "circuit":
                    rows = found["code"]["rows"]
                    self.assertIn(f"{rows['of_f'] + rows['of_shift']} of {rows['all_of_f'] + rows['all_of_shift']} rows", heading)
                for place in ("orbit", "origin"):
                    shown = self.js(f"ketbra.explorer.data.spectra.{place}?.found ?? null")
                    if shown is not None:
                        spectrum = found["spectrum"].get("memories") if place == "orbit" else None
                        self.assertEqual(shown, (spectrum or found["spectrum"][place])["found"])
                if found["recurrence_in_words"]:
                    self.assertEqual([x.text for x in self.all("#recurrence li")], found["recurrence_in_words"])
                doubts = [x.text for x in self.all("#warnings li:not(.none)")]
                beside = [reason for reason in found["reasons"] if reason["kind"] not in ("claim-fails", "every-claim")]
                self.assertEqual(len(doubts), len(found["warnings"]) + len(beside))
                for note in found["warnings"]:
                    self.assertTrue(any(note["message"][1:] in doubt for doubt in doubts), note["message"])

    def test_superposed_contents_have_a_page_of_their_own(self):
        found = self.open("superposed")["found"]
        sharing, code = found["superposition"], found["code"]
        self.assertEqual(self.by_id("sharing-heading").text, f"{code['count']} contents in {sharing['directions']} directions of the code")
        said = self.by_id("sharing-explain").text
        self.assertIn(f"{code['read']} of {code['count']} contents", said)
        self.assertIn(f"{sharing['read_as_signs']} of {code['count']} are told apart", said)
        self.assertEqual(len(self.all("#riders li")), max(1, len(sharing["riders"]) + bool(sharing["spread"])))
        self.assertEqual(len(self.all("#readings .lit")), len(found["not_linear"]))
        self.open("circuit")
        self.assertFalse(self.all("#sharing"))

    def test_logic_is_shown_as_tables_and_products(self):
        found = self.open("gates")["found"]
        self.assertIn("by logic", self.by_id("task").text)
        logic = [table for table in found["function"] if len(table["inputs"]) > 1]
        self.assertEqual(len(self.all("#tables [data-output]")), len(logic))
        self.assertEqual(len(self.all("#tables tbody tr")), sum(2 ** len(table["inputs"]) for table in logic))
        largest = found["code"]["products"]["largest"]
        self.assertEqual(len(self.all("#products-list i")), len(largest))
        for degree in found["code"]["products"]["by_degree"]:
            self.assertIn(f"{degree:.4f}", self.by_id("products-explain").text)

    def test_gates_are_shown_over_time(self):
        for name, choices in [("gru", ["r reset", "z update"]), ("lstm", ["i input", "f forget", "o output"])]:
            self.open(name)
            self.assertEqual([x.text for x in self.all("#gates-choice label")], choices)
            before = self.by_id("gates-note").text
            self.click(self.all("#gates-choice label")[0])
            self.assertNotEqual(self.by_id("gates-note").text, before)
        self.open("circuit")
        self.assertFalse(self.all("#gates"))

    def test_words_of_ours_say_what_they_mean(self):
        self.open("circuit")
        for place in ["story", "how", "weights", "spectrum"]:
            self.assertGreater(len(self.all(f"#{place} .term")), 1, place)
        term = self.all("#sentence .term")[0]
        self.assertEqual(term.text, "circuit")
        self.js("arguments[0].focus()", term)
        self.assertTrue(self.by_id("tip").text.startswith("Circuit: "))

    def test_recordings_are_shown_episode_by_episode_and_nothing_is_run(self):
        expected = self.open("recordings")
        self.assertEqual(self.by_id("kind").text, "circuit")
        self.assertIn("recorded network is a circuit", self.by_id("sentence").text)
        for gone in ("edit", "weights-trained-figure"):
            self.assertFalse(self.all(f"#{gone}"), gone)
        self.assertIn("episodes shuffled", self.by_id("weights-control-figure").text)
        before = self.js("[...ketbra.explorer.run.outputs[ketbra.explorer.s + arguments[0]]]", expected["step"])
        Select(self.all("#try select")[0]).select_by_index(expected["episode"])
        after = self.js("[...ketbra.explorer.run.outputs[ketbra.explorer.s + arguments[0]]]", expected["step"])
        self.assertNotEqual(before, after)
        for said, wanted in zip(after, expected["said"], strict=True):
            self.assertAlmostEqual(said, wanted, places=5)
        self.assertIn("all", self.by_id("score").text)

    def test_every_cell_is_named_and_its_weights_are_shown_as_what_they_are(self):
        about = {"gru": "GRU, 128 units", "lstm": "LSTM, 128 units, state (h, c)", "stack": "GRU, 2 layers of 24 units",
                 "ssm": "state-space layer, 64 units, 40 complex modes", "leaky": "leaky layer, 48 units, tanh", "circuit": "128 hidden units"}
        gates = {"gru": ["r reset", "z update", "n candidate"], "lstm": ["i input", "f forget", "g candidate", "o output"],
                 "stack": ["r reset", "z update", "n candidate"], "ssm": [], "leaky": [], "circuit": []}
        for name, named in about.items():
            with self.subTest(page=name):
                self.open(name)
                self.assertIn(named, self.by_id("about").text)
                self.assertEqual([x.text for x in self.all("#weights .gate > p")], gates[name])
                facts = dict(self.js("ketbra.explorer.data.meta.made"))
                self.assertEqual(facts["made of"].split(",")[0], {"circuit": "Elman"}.get(name, named.split(",")[0]))
        self.assertIn("This GRU is a circuit", self.open("gru") and self.by_id("sentence").text)

    def test_each_layer_of_a_stack_can_be_looked_at(self):
        self.open("stack")
        first = lambda: self.all("#weights canvas")[0].get_attribute("aria-label")
        self.assertIn("of layer 1, gate r", first())
        self.click(self.browser.find_element(By.XPATH, "//label[input[@name='weights-layer'][@value='1']]"))
        self.assertIn("of layer 2, gate r", first())
        self.assertEqual(self.js("ketbra.explorer.data.state.map(({ name, count }) => [name, count])"), [["layer 1", 24], ["layer 2", 24]])
        self.open("mixed")
        self.assertIn("GRU of 24 units, then state-space of 24 units", self.by_id("about").text)
        self.click(self.browser.find_element(By.XPATH, "//label[input[@name='weights-layer'][@value='1']]"))
        # A chart is drawn when it knows its size.
        WebDriverWait(self.browser, 5).until(lambda _: self.all("#weights svg .learned"))
        self.assertFalse(self.by_id("weights-scale").is_displayed())

    def test_the_modes_of_a_state_space_layer_lie_on_the_circle(self):
        self.open("ssm")
        modes = [[x / 1 for x in z] for z in self.js("[...ketbra.explorer.trained.layers[0].real.eigenvalues].map((re, k) => [re, ketbra.explorer.trained.layers[0].imaginary.eigenvalues[k]])")]
        self.assertEqual(len(modes), 40)
        real = sum(im == 0 for _, im in modes)
        self.assertEqual(len(self.all("#weights-trained .learned")), 2 * 40 - real)
        self.assertIn("phases drawn anew", self.by_id("weights-control-figure").text)
        self.assertLess(max(abs((a * a + b * b) ** 0.5 - 1) for a, b in modes), 1e-6)

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

    def test_pages_without_something_do_not_show_an_empty_place_for_it(self):
        shown = lambda: self.js("[...document.querySelectorAll('main section[data-title]')].map((x) => x.id)")
        maybe = {"edit", "training", "sharing", "gates"}
        wanted = {"trained": {"edit", "training", "sharing"}, "circuit": {"edit"}, "blind": {"edit"}, "superposed": {"edit", "sharing"}, "not-learned": set(),
                  "blind-silent": set(), "gru": {"gates"}, "lstm": {"gates"}, "lstm-whole": {"gates"}, "stack": {"gates"}, "ssm": set(), "leaky": set(), "gates": set()}
        for name, sections in wanted.items():
            with self.subTest(page=name):
                self.open(name)
                self.assertEqual(set(shown()) & maybe, sections)
                canvases = [x for x in self.all("canvas") if x.is_displayed()]
                self.assertTrue(all(c.size["height"] > 40 and c.get_attribute("aria-label") for c in canvases))
                self.assertGreater(self.js("document.querySelector('#hero-wheel svg').getBoundingClientRect().height"), 60)

    def test_nothing_runs_over_the_edge_and_the_theme_is_remembered(self):
        try:
            for name in [*NETWORKS, *RECORDINGS]:
                for width in [390, 768, 1440] if name != "large" else [390]:
                    self.narrow(width)
                    self.open(name)
                    self.assertEqual(self.over_the_edge(), [], f"{name} at {width}")
        finally:
            self.wide()
        self.open("circuit")
        theme = lambda: self.js("document.documentElement.dataset.theme")
        before = theme()
        self.by_id("theme").click()
        self.assertNotEqual(theme(), before)
        after = theme()
        self.open("circuit")
        self.assertEqual(theme(), after)
        self.by_id("theme").click()


class Used(InBrowser):
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
        self.js("document.activeElement.blur()")
        self.browser.find_element(By.TAG_NAME, "body").send_keys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.ARROW_LEFT)
        self.assertEqual(self.js("ketbra.player.step"), 9)

    def test_pointing_at_an_output_lights_what_belongs_to_it(self):
        self.open("circuit")
        self.browser.execute_script("ketbra.weights.restore(1, 'learned')")
        line = self.all("#recurrence li")[2]
        self.js("arguments[0].focus()", line)
        self.assertEqual(self.js("ketbra.links.output"), 2)
        self.assertIn("lit", line.get_attribute("class"))
        lit = self.all("#hero-wheel .wire.lit")
        self.assertEqual([x.get_attribute("data-output") for x in lit], ["2"])
        # u3 = -u3[t-6] is a cycle of six.
        self.assertEqual(len(self.all("#hero-wheel .outlines path")), 6)
        self.assertGreaterEqual(len(self.all("#spectra figure:first-child .theory.lit")), 6)
        row = self.js("ketbra.explorer.memories.members.indexOf(7 * 8 + 2)")
        self.assertEqual(self.js("ketbra.weights.map.options.lit"), [{"row": row}, {"col": row}])
        self.js("arguments[0].blur()", line)
        self.assertFalse(self.all("#hero-wheel .wire.lit"))

    def test_bits_are_flipped_by_pointer_and_keyboard_and_digits_are_written(self):
        self.open("circuit")
        value = lambda: self.js("ketbra.explorer.inputs[0][0]")
        bit = self.all("#bits button")[0]
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


class Honest(InBrowser):
    """What a picture or a sentence may not say."""

    def test_what_it_was_driven_with_stands_beside_the_verdict(self):
        for name in ["circuit", "blind", "other-kind", "blind-silent"]:
            with self.subTest(page=name):
                driven = self.open(name)["found"]["stimulus"]
                for place in ("stimulus", "driven"):
                    said = self.by_id(place).get_property("textContent")
                    self.assertIn(f"Driven with {driven['input_steps']} steps of +1 and -1", said)
                    self.assertIn(f"{driven['silent_steps']} steps of zeros", said)

    def test_no_check_passed_where_a_claim_fails(self):
        for name in [*NETWORKS, *RECORDINGS]:
            with self.subTest(page=name):
                found = self.open(name)["found"]
                sound = bool(found["claims"]) and all(claim["holds"] for claim in found["claims"])
                text = self.by_id("warnings").get_property("textContent")
                self.assertFalse("every check passed" in text and not sound)
                self.assertFalse(self.all("#warnings .none") and not sound)
        self.open("circuit")
        self.browser.execute_script("const { data } = ketbra.explorer; data.verdict.warnings = []; data.verdict.claims[0].holds = false; showClaims(ketbra.explorer);")
        self.assertEqual(self.by_id("warnings").get_property("textContent"), "None beside the claim that fails, above.")
        self.browser.execute_script("ketbra.explorer.data.verdict.claims[0].holds = true; showClaims(ketbra.explorer);")
        self.assertEqual(self.by_id("warnings").get_property("textContent"), "None: every check passed.")

    def test_the_weights_are_credited_with_the_rows_that_they_make(self):
        for name in ["circuit", "trained", "superposed", "partial"]:
            with self.subTest(page=name):
                rows = self.open(name)["found"]["code"]["rows"]
                right, every = rows["of_f"] + rows["of_shift"], rows["all_of_f"] + rows["all_of_shift"]
                said = self.by_id("weights-explain").get_property("textContent")
                self.assertEqual("it is the weights that do it" in said, right == every)
                self.assertIn("In none of the 36 rows", self.js("slides({ data: { verdict: { rows: [0, 36] } } })"))

    def test_the_remainder_is_counted_whole(self):
        found = self.open("circuit")["found"]
        rest, drawn = found["hidden"] - found["code"]["count"], self.js("ketbra.explorer.memories.perp")
        self.assertGreater(rest, drawn)
        self.browser.execute_script("ketbra.weights.restore(0, 'learned')")
        self.assertIn(f"{rest} directions beside the memories, of which {drawn} are drawn", self.by_id("weights-note").get_property("textContent"))

    def test_counts_that_differ_are_written_at_the_circle(self):
        self.open("superposed")
        self.assertTrue(self.all("#spectra .count.differs"))
        # Also where every angle has another count than theory asks for.
        self.browser.execute_script("""const room = document.createElement('div'); room.id = 'planted'; room.style.width = '400px'; byId('spectra').append(room);
            const at = Array.from({ length: 8 }, (_, k) => k * Math.PI / 4);
            new SpectrumChart(room, { eigenvalues: [], directions: at.map((angle) => ({ angle, found: 5, expected: 8 })) }, at.map((a) => [Math.cos(a), Math.sin(a)]), { label: 'planted' }).draw();""")
        # At once: the chart is drawn anew whenever its room changes.
        self.assertEqual(self.js("[...document.querySelectorAll('#planted .count.differs')].map((label) => label.textContent)"), ["5/8"] * 8)

    def test_a_rule_that_could_not_be_read_differs_in_no_line(self):
        self.open("pair-unread")
        self.assertEqual(self.by_id("rules-explain").text, "The rule of B could not be read: there is nothing to compare.")
        self.assertEqual(self.all("#rules-table .differs"), [])
        self.open("pair")
        self.assertRegex(self.by_id("rules-explain").text, r"^\d+ of 8 lines differ\.$")

    def test_columns_of_a_truth_table_stand_in_the_order_of_the_formula(self):
        self.open("gates")
        for j, line in enumerate(self.js("ketbra.explorer.data.verdict.recurrence")):
            for table in self.all(f"table.truth[data-output='{j}']"):
                names = [cell.get_property("textContent").replace("−", "-") for cell in table.find_elements(By.CSS_SELECTOR, "th")][:-1]
                places = [line.index(name) for name in names]
                self.assertEqual(places, sorted(places), line)
                gate = self.js(f"ketbra.explorer.data.task.gates[{j}]")
                inputs = [f"u{one['component'] + 1}[t-{one['lag']}]" for one in gate["inputs"]]
                for row in table.find_elements(By.CSS_SELECTOR, "tbody tr"):
                    *given, value = [1 if cell.get_property("textContent") == "+" else 0 for cell in row.find_elements(By.CSS_SELECTOR, "td")]
                    bits = dict(zip(names, given))
                    self.assertEqual(value, gate["table"][sum(bits[name] << q for q, name in enumerate(inputs))] > 0)

    def test_outputs_that_died_out_are_neither_right_nor_wrong(self):
        self.open("not-learned")
        self.assertIn("have died out", self.by_id("score").text)
        steps, d = self.js("ketbra.explorer.horizon"), self.js("ketbra.explorer.d")
        tiny = sum(abs(x) < 1e-12 for row in self.runs("outputs", 200)[-steps:] for x in row)
        self.assertGreater(tiny, steps * d // 2)
        self.assertGreaterEqual(self.js("ketbra.explorer.wrongSigns().silent"), tiny)
        self.assertLessEqual(self.js("ketbra.explorer.wrongSigns().wrong"), steps * d - tiny)

    def test_a_gate_is_described_by_what_it_does(self):
        self.open("gru")
        choices = self.all("#gates-choice label")
        for choice in choices:
            self.click(choice)
            said = self.by_id("gates-note").text
            self.assertNotIn("open", said)
            self.assertIn("z = 1: the old state stays" if choice.text.startswith("z") else "r = 1: the old state goes into the new one", said)

    def test_colours_mean_the_same_wherever_the_slider_stands(self):
        self.open("trained")
        limits = set()
        for place in (0, 30, 70, 100):
            self.browser.execute_script("ketbra.weights.turnTo(arguments[0])", place / 100)
            limits.add(self.js("ketbra.weights.map.options.limit"))
        self.assertEqual(len(limits), 1)

    def test_what_states_hold_is_shown_step_by_step(self):
        found = self.open("other-kind")["found"]["over_time"]
        self.assertEqual(self.js("byId('holds-map').getAttribute('aria-label')"), f"How well {len(found['contents'])} inputs are read at {len(found['read'][0])} time steps")
        self.assertIn("other inputs get", self.by_id("holds-note").get_property("textContent"))
        self.open("circuit")
        self.assertEqual(self.all("#holds"), [])


class Moves(InBrowser):
    calm = False

    def test_the_wheel_plays_by_itself_until_it_is_stopped(self):
        for name in ["circuit", "long"]:
            with self.subTest(page=name):
                self.open(name)
                self.assertTrue(self.js("ketbra.player.playing"))
                WebDriverWait(self.browser, 30).until(lambda _: self.js("ketbra.player.position > 1.5 && ketbra.player.frames > 3"))
                self.by_id("play").click()
                stopped = self.js("ketbra.player.position")
                time.sleep(0.2)
                self.assertEqual(self.js("ketbra.player.position"), stopped)


class Still(InBrowser):
    def test_it_is_still_where_motion_is_unwelcome(self):
        self.open("circuit")
        self.assertFalse(self.js("ketbra.player.playing"))
        self.assertEqual(self.by_id("phase").text, "output, step 48 of 48")
        time.sleep(0.5)
        self.assertEqual(self.js("ketbra.player.step"), 56)
