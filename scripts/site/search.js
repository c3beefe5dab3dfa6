// The search: adds up the weights of site_search.py. Without scripts, the map of the pages serves.
(() => {
  const form = document.querySelector("#search");
  const field = form.querySelector("input");
  const list = document.querySelector("#hits");
  const up = form.dataset.up;
  form.hidden = false;
  const stem = (word) => {
    for (const ending of SEARCH.endings)
      if (word.endsWith(ending) && word.length - ending.length >= 3) return word.slice(0, -ending.length);
    return word;
  };
  const words = (text) =>
    (text.toLowerCase().replaceAll("'", "").match(/[a-z0-9]+/g) || []).filter((word) => !SEARCH.stop.includes(word)).map(stem);
  const hits = (text) => {
    const scores = new Map();
    const asked = words(text);
    asked.forEach((word, place) => {
      const best = new Map();
      const add = (postings, share) => {
        for (let i = 0; i < postings.length; i += 2)
          best.set(postings[i], Math.max(best.get(postings[i]) || 0, postings[i + 1] * share));
      };
      if (Object.hasOwn(SEARCH.terms, word)) add(SEARCH.terms[word], 1);
      if (place === asked.length - 1 && word.length > 2)
        for (const term in SEARCH.terms) if (term !== word && term.startsWith(word)) add(SEARCH.terms[term], 0.5);
      for (const [page, score] of best) scores.set(page, (scores.get(page) || 0) + score);
    });
    const heading = ([, , sections]) => {
      let found = null, most = 0;
      for (const section of sections) {
        const there = words(section[1]);
        const count = asked.filter((word) => there.includes(word)).length;
        if (count > most) [found, most] = [section, count];
      }
      return found;
    };
    return [...scores].sort((a, b) => b[1] - a[1]).slice(0, 8).map(([page]) => [SEARCH.pages[page], heading(SEARCH.pages[page])]);
  };
  const show = () => {
    const found = field.value.trim() ? hits(field.value) : [];
    list.replaceChildren(
      ...found.map(([[path, title], section]) => {
        const link = document.createElement("a");
        link.href = up + path + (section ? "#" + section[0] : "");
        link.textContent = title + (section ? " › " + section[1] : "");
        const item = document.createElement("li");
        item.append(link);
        return item;
      })
    );
    list.hidden = !found.length;
  };
  field.addEventListener("input", show);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    list.querySelector("a")?.click();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && document.activeElement !== field) { event.preventDefault(); field.focus(); }
    if (event.key === "Escape") list.hidden = true;
  });
})();
