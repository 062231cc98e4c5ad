"use strict";
// Refreshes the page every few seconds while it is visible, filters kinds, and unfolds the one in the address.
(() => {
  const every = 5000;
  const stale = document.getElementById("stale");
  const filter = document.getElementById("filter");
  const kinds = () => [...document.querySelectorAll("details")];
  const choose = () => {
    for (const kind of kinds()) kind.hidden = !kind.firstChild.textContent.toLowerCase().includes(filter.value.toLowerCase());
  };
  const unfold = () => {
    const kind = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (kind?.matches("details")) kind.open = true;
  };
  const refresh = async () => {
    if (document.visibilityState === "visible") {
      try {
        const answer = await fetch(location.pathname, { cache: "no-store" });
        if (!answer.ok) throw new Error(answer.statusText);
        const next = new DOMParser().parseFromString(await answer.text(), "text/html");
        const open = kinds().filter((kind) => kind.open).map((kind) => kind.id);
        for (const id of ["now", "kinds", "rest"]) document.getElementById(id).replaceWith(next.getElementById(id));
        for (const id of open) document.getElementById(id)?.setAttribute("open", "");
        choose();
        stale.hidden = true;
      } catch {
        stale.hidden = false;
      }
    }
    setTimeout(refresh, every);
  };
  filter.hidden = false;
  filter.addEventListener("input", choose);
  addEventListener("hashchange", unfold);
  unfold();
  choose();
  setTimeout(refresh, every);
})();
