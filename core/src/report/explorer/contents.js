// The list of sections at the top, and the way to one of them.

function goTo(section) { byId(section)?.scrollIntoView({ behavior: calm() ? "auto" : "smooth" }); window.ketbra.address?.at(section); }

function showContents() {
  const links = [...document.querySelectorAll("main section[data-title]")].map((section) => element("a", { href: `#at=${section.id}`, "data-to": section.id }, section.dataset.title));
  byId("contents").replaceChildren(...links);
  links.forEach((link) => link.addEventListener("click", (event) => { event.preventDefault(); goTo(link.dataset.to); }));
  const seen = new IntersectionObserver((entries) => entries.forEach(({ target, isIntersecting }) => {
    if (isIntersecting) links.forEach((link) => link.toggleAttribute("aria-current", link.dataset.to === target.id));
  }), { rootMargin: "-30% 0px -60%" });
  document.querySelectorAll("main section").forEach((section) => seen.observe(section));
}
