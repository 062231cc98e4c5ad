"use strict";
// Refreshes the page every few seconds while it is visible.
(() => {
  const every = 5000;
  const stale = document.getElementById("stale");
  const refresh = async () => {
    if (document.visibilityState === "visible") {
      try {
        const answer = await fetch(location.pathname, { cache: "no-store" });
        if (!answer.ok) throw new Error(answer.statusText);
        const next = new DOMParser().parseFromString(await answer.text(), "text/html");
        const open = [...document.querySelectorAll("details[open]")].map((d) => d.id);
        document.querySelector("main").replaceWith(next.querySelector("main"));
        for (const id of open) document.getElementById(id)?.setAttribute("open", "");
        stale.hidden = true;
      } catch {
        stale.hidden = false;
      }
    }
    setTimeout(refresh, every);
  };
  setTimeout(refresh, every);
})();
