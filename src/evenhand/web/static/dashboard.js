"use strict";
// New evaluations appear without reloading. Pages that change carry the place of the newest evaluation in
// data-live; the server answers /changes as soon as there is a newer one, and the page is fetched again.
(() => {
  let main = document.querySelector("main[data-live]");
  if (!main || !window.fetch || !window.DOMParser) return;
  let seen = main.dataset.live;

  const status = document.createElement("p");
  status.setAttribute("role", "status");
  status.className = "unseen";
  main.before(status);

  const pause = (seconds) => new Promise((done) => setTimeout(done, 1000 * seconds));
  const visible = () => new Promise((done) => {
    if (!document.hidden) return done();
    document.addEventListener("visibilitychange", () => done(), { once: true });
  });
  const rows = (from) => new Set([...from.querySelectorAll("tbody tr")].map((row) => row.textContent));
  const busy = () => main.contains(document.activeElement) && document.activeElement !== main
    || String(window.getSelection()) !== "";

  async function refresh() {
    const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("main[data-live]");
    if (!answer.ok || !fresh) return;
    const before = rows(main);
    if (busy()) {
      const again = document.createElement("a");
      again.href = location.href;
      again.textContent = "New evaluations: show them";
      status.className = "news";
      status.replaceChildren(again);
      return;
    }
    main.replaceWith(fresh);
    main = fresh;
    let count = 0;
    for (const row of main.querySelectorAll("tbody tr")) {
      if (!before.has(row.textContent)) { row.classList.add("fresh"); count += 1; }
    }
    status.className = "unseen";
    status.textContent = count ? "The page shows new evaluations." : "";
  }

  async function watch() {
    for (let failures = 0; ;) {
      await visible();
      try {
        const answer = await fetch("/changes?after=" + encodeURIComponent(seen), { headers: { Accept: "application/json" } });
        if (answer.status === 401) return;
        if (!answer.ok) throw new Error(answer.status);
        const { newest } = await answer.json();
        failures = 0;
        if (newest !== seen) { await refresh(); seen = newest; }
      } catch {
        failures += 1;
        await pause(Math.min(60, 2 ** failures));
      }
    }
  }
  watch();
})();
