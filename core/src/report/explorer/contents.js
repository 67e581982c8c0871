// The list of sections at the top, and the way to one of them.

function goTo(section) { byId(section)?.scrollIntoView({ behavior: calm() ? "auto" : "smooth" }); window.ketbra.address?.at(section); }

let watched = null;

function showContents() {
  const links = [...document.querySelectorAll("main section[data-title]:not([hidden])")].map((section) => element("a", { href: `#at=${section.id}`, "data-to": section.id }, section.dataset.title));
  byId("contents").replaceChildren(...links);
  links.forEach((link) => link.addEventListener("click", (event) => { event.preventDefault(); goTo(link.dataset.to); }));
  watched?.disconnect();
  watched = new IntersectionObserver((entries) => entries.forEach(({ target, isIntersecting }) => {
    if (!isIntersecting) return;
    links.forEach((link) => link.toggleAttribute("aria-current", link.dataset.to === target.id));
    // On a phone the list is longer than the screen is wide.
    const bar = byId("contents"), here = links.find((link) => link.dataset.to === target.id);
    if (here) bar.scrollLeft = here.offsetLeft - bar.offsetLeft - (bar.clientWidth - here.offsetWidth) / 2;
  }), { rootMargin: "-30% 0px -60%" });
  document.querySelectorAll("main section").forEach((section) => watched.observe(section));
}
