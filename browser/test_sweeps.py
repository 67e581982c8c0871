"""A sweep of 960 networks as one page, and two networks on one clock."""
from collections import Counter

from selenium.webdriver.support.ui import Select

from support import FOLDER, InBrowser


class Sweep(InBrowser):
    def test_960_networks_are_one_small_page(self):
        self.browser.get_log("browser"), self.browser.get_log("performance")
        expected = self.open("sweep")
        self.assert_quiet()
        self.assertEqual(len(expected["rows"]), 960)
        self.assertLess((FOLDER / "sweep.html").stat().st_size, 1_500_000)

    def test_counts_and_cells_are_those_of_the_table(self):
        expected = self.open("sweep")
        counts = Counter(row["verdict"] for row in expected["rows"])
        self.assertIn(f"{counts['circuit']} of 960 networks are circuits", self.by_id("sentence").text)
        for verdict, count in counts.items():
            if verdict != "circuit":
                self.assertIn(f"{count} {verdict}", self.by_id("sentence").text)
        rows = self.all("#cells .cell")
        self.assertEqual(len(rows), len(expected["cells"]))
        for row, cell in zip(rows, expected["cells"]):
            self.assertIn(f"{cell['task']} {cell['hidden']}", row.text)
            self.assertIn(f"{cell['accuracy']:.4f}", row.text)
            if cell["accuracy_interval"]:
                self.assertIn(f"{cell['accuracy_interval'][0]:.4f} to", row.text)

    def test_a_cell_opens_to_its_networks_and_verdicts_filter_them(self):
        expected = self.open("sweep")
        self.all("#cells .cell")[0].click()
        cell = expected["cells"][0]
        networks = self.all(".network")
        self.assertEqual(len(networks), cell["networks"])
        self.assertEqual(len(self.all(".network .dots")), len(networks))
        self.assertEqual(len(self.all(".network .loss")), len(networks))
        of = {row["name"]: row for row in expected["rows"]}
        for network in networks[:5]:
            row = of[network.get_attribute("data-name")]
            self.assertIn(row["verdict"], network.text)
            self.assertIn(f"{row['accuracy']:.4f}", network.text)
            self.assertIn(f"origin {row['origin']['found']} of {row['origin']['expected']}", network.text)
        # The dots of the small spectrum are the eigenvalues that the row counts.
        lasting = self.js("(({ spectrum }) => eigenvaluesOf(spectrum).reduce((sum, [re, im]) => sum + (Math.hypot(re, im) > 0.9 ? (im ? 2 : 1) : 0), 0))(ketbra.data.networks[0])")
        self.assertEqual(lasting, of[self.js("ketbra.data.networks[0].name")]["origin"]["found"])
        self.click(self.by_id("all"))
        self.click(self.by_id("all"))
        self.assertEqual(len(self.all(".network")), 960)
        superposed = next(x for x in self.all("#verdicts button") if x.text.startswith("superposed"))
        self.click(superposed)
        self.assertEqual({x.text for x in self.all(".network .kind")}, {"superposed"})
        self.assertEqual(len(self.all(".network")), sum(row["verdict"] == "superposed" for row in expected["rows"]))

    def test_cells_and_networks_are_sorted(self):
        self.open("sweep")
        names = lambda: [x.text for x in self.all("#cells .cell td:nth-child(3)")]
        head = self.all("#cells th button")[1]
        head.click()
        self.assertEqual(names(), sorted(names(), key=int))
        head.click()
        self.assertEqual(names(), sorted(names(), key=int, reverse=True))
        self.all("#cells .cell")[0].click()
        Select(self.by_id("order")).select_by_value("accuracy")
        values = [float(x.text) for x in self.all(".network p b")]
        self.assertEqual(values, sorted(values))

    def test_a_network_without_a_page_says_how_it_is_made_and_nothing_runs_over_the_edge(self):
        self.open("sweep")
        self.assertIn("ketbra report", self.by_id("pages-note").text)
        self.all("#cells .cell")[0].click()
        self.assertIn("its page is made by 'ketbra report", self.all(".network .name")[0].get_attribute("data-note"))
        try:
            for width in [390, 768, 1440]:
                self.narrow(width)
                self.open("sweep")
                self.assertEqual(self.over_the_edge(), [], width)
        finally:
            self.wide()


    def test_the_address_keeps_the_view(self):
        self.open("sweep")
        self.all("#cells .cell")[2].click()
        self.click(next(x for x in self.all("#verdicts button") if x.text.startswith("superposed")))
        Select(self.by_id("order")).select_by_value("accuracy")
        self.all("#cells th button")[1].click()
        self.browser.execute_script("ketbra.address.write()")
        seen = lambda: (self.js("({ ...ketbra.view, open: [...ketbra.view.open] })"), len(self.all(".network")), [x.text for x in self.all("#cells .cell td:nth-child(3)")], [x.text for x in self.all("#verdicts [aria-pressed=true]")])
        before, at = seen(), "#" + self.browser.current_url.split("#")[1]
        self.open("sweep", at)
        self.assertEqual(seen(), before)
        self.assertGreater(before[1], 0)
        self.open("sweep", "#verdict=none-such&order=x&sort=y&open=77.zz")
        self.assertEqual(self.js("({ ...ketbra.view, open: [...ketbra.view.open] })"), {"verdict": None, "order": "seed", "sort": None, "open": []})


class Pair(InBrowser):
    def test_two_networks_share_one_clock_and_one_input(self):
        self.browser.get_log("browser"), self.browser.get_log("performance")
        expected = self.open("pair")
        self.assertEqual([x.text for x in self.all(".side .kind")], [found["verdict"] for found in expected["found"]])
        # Every name at the top leads somewhere.
        self.assertEqual([x.get_attribute("data-to") for x in self.all("#contents a")], ["try", "rules", "how", "weights", "spectrum"])
        self.assertTrue(all(self.by_id(x.get_attribute("data-to")).is_displayed() for x in self.all("#contents a")))
        self.click(self.all("#bits button")[3])
        inputs = self.js("ketbra.explorers.map(({ inputs }) => inputs.map((u) => [...u]))")
        self.assertEqual(inputs[0], inputs[1])
        self.browser.execute_script("ketbra.player.seek(20)")
        self.assertEqual(len(self.all(".side .playhead")), 2)
        same = self.js("[...document.querySelectorAll('.side .playhead')].map((x) => Math.round(x.getAttribute('x')))")
        self.assertEqual(same[0], same[1])
        self.assertEqual(len(self.all("#rules-table tr")) - 1, 8)
        differ = sum(a != b for a, b in zip(*(found["recurrence_in_words"] for found in expected["found"])))
        self.assertEqual(self.by_id("rules-explain").text, f"{differ} of 8 lines differ.")
        for k, found in enumerate(expected["found"]):
            cells = [x.text for x in self.all(f"#claims-table td:nth-child({k + 2})") if x.text]
            self.assertEqual(sum(text.startswith("FAILS") for text in cells), sum(not claim["holds"] for claim in found["claims"]))
        self.assert_quiet()

    def test_the_address_keeps_input_and_time(self):
        self.open("pair")
        self.click(self.all("#bits button")[5])
        self.browser.execute_script("ketbra.player.seek(17); ketbra.address.write()")
        seen = lambda: self.js("[ketbra.player.step, ...ketbra.explorers.map(({ inputs }) => inputs.map((u) => [...u]))]")
        before, at = seen(), "#" + self.browser.current_url.split("#")[1]
        self.open("pair", at)
        self.assertEqual(seen(), before)
        self.assertEqual(before[0], 17)

    def test_both_fit_on_a_phone(self):
        try:
            for width in [390, 768]:
                self.narrow(width)
                self.open("pair")
                self.assertEqual(self.over_the_edge(), [], width)
        finally:
            self.wide()
