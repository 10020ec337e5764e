#!/usr/bin/python3
"""answer.py SHOTS PAGE=JSON... - Opens pages of `estimate --report` in Chromium and judges them.

Wide and narrow, light and dark, closed and opened: nothing loads from elsewhere, no word in the
console, nothing sticks out, letters are large enough and stand out from what is behind them, text in
drawings does not cover other text, links lead somewhere, there is no script, and what JSON says
about the same answer stands on the page. Pictures go to SHOTS. Then a page that was damaged on
purpose in many ways: each fault has to be found by its words, or the check itself is broken.
"""

import json
import os
import sys
import tempfile

import browse

# Ink and paper of every piece of text; a background that is see-through is that of the parent.
INK = """(() => {
  const paper = e => {
    for (; e; e = e.parentElement) {
      const c = getComputedStyle(e).backgroundColor;
      if (c !== 'rgba(0, 0, 0, 0)' && c !== 'transparent') return c;
    }
    return 'rgb(255, 255, 255)';
  };
  const owns = e => [...e.childNodes].some(n => n.nodeType === 3 && n.data.trim());
  return [...document.body.querySelectorAll('*')].filter(e => owns(e) &&
      e.getBoundingClientRect().width > 0).map(e => [e.textContent.trim().slice(0, 40),
      e.closest('svg') ? getComputedStyle(e).fill : getComputedStyle(e).color, paper(e)]);
})()"""

# Text of a drawing that covers other text or leaves the screen, and drawings without a size.
DRAWINGS = """(() => {
  const faults = [], slack = 3, width = document.documentElement.clientWidth;
  for (const drawing of document.querySelectorAll('svg')) {
    const home = drawing.getBoundingClientRect(), name = drawing.getAttribute('aria-label');
    if (!drawing.checkVisibility()) continue;
    if (home.width < 40 || home.height < 10)
      faults.push(`drawing '${name}' is ${home.width} by ${home.height}`);
    if (name === null) faults.push('a drawing without a label');
    const boxes = [...drawing.querySelectorAll('text')].map(t =>
      ({text: t.textContent, box: t.getBoundingClientRect()}));
    boxes.forEach((a, i) => {
      if (a.box.left < 0 || a.box.right > width) faults.push(`'${a.text}' is cut`);
      for (const b of boxes.slice(i + 1))
        if (Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left) > slack &&
            Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top) > slack)
          faults.push(`'${a.text}' and '${b.text}' cover each other`);
    });
  }
  return faults;
})()"""

FACTS = """({text: document.body.textContent, scripts: document.scripts.length,
  handlers: [...document.querySelectorAll('*')].filter(e => [...e.attributes]
    .some(a => a.name.startsWith('on'))).length,
  headings: [...document.querySelectorAll('h2,h3')].map(h => h.textContent)})"""


def of_facts(facts, known):
    if facts["scripts"] or facts["handlers"]:
        yield "there is a script on the page"
    for heading in ("Where the target goes", "Weights", "Balance of the flow",
                    "Reward over the first steps", "What to keep in mind", "How this was made"):
        if heading not in facts["headings"]:
            yield f"no part '{heading}'"
    for answer in known.get("policies", known.get("methods", [known])):
        value = f"{answer['value']:.6g}"
        if not answer.get("log") and value not in facts["text"]:
            yield f"the value {value} is not on the page"
        for reason in answer["reasons"]:
            if reason["text"] not in facts["text"]:
                yield f"a reason is not on the page: {reason['text'][:60]}"
    for pair in known.get("pairs", []):
        if pair["sentence"] not in facts["text"]:
            yield f"a sentence is not on the page: {pair['sentence'][:60]}"


def of_ink(pieces):
    for text, ink, paper in pieces:
        if browse.contrast(ink, paper) < 4.5:
            yield f"contrast of '{text}' is {browse.contrast(ink, paper):.2f}, less than 4.5"


def of_view(browser):
    page = browser.evaluate(browse.PAGE)
    if page["quirks"] != "CSS1Compat" or not page["title"]:
        yield "not a page of today's HTML with a title"
    if page["body"] < 14 or page["small"][0] < 12:
        yield f"small letters: {page['body']} for the text, {page['small']}"
    if page["nan"]:
        yield f"not a number: {page['nan'][0]}"
    for href in page["lost"]:
        yield f"link to nowhere: {href}"
    yield from browser.evaluate(browse.OVERFLOW)
    yield from browser.evaluate(DRAWINGS)
    yield from of_ink(browser.evaluate(INK))


def look(browser, path, known, width, scheme, shot=None):
    target = browser.open(path, width)
    browser.call("Emulation.setEmulatedMedia",
                 features=[{"name": "prefers-color-scheme", "value": scheme}])
    faults = list(of_facts(browser.evaluate(FACTS), known))
    faults += of_view(browser)
    if shot:
        browser.shoot(shot)
    browser.evaluate(browse.OPEN_ALL)
    faults += [f"with details open, {fault}" for fault in of_view(browser)]
    faults += browse.of_events(browser.events)
    browser.leave(target)
    return faults


def damages(text):
    def put(html):
        return text.replace("</body>", html + "</body>")

    def without(piece):
        if piece not in text:
            sys.exit(f"answer: nothing to damage, the page has no {piece}")
        return text.replace(piece, "")

    return [
        ("there is a script", put("<script>0</script>")),
        ("there is a script", put('<p onclick="0">here</p>')),
        ("console error: oh", put("<script>console.error('oh')</script>")),
        ("outgoing request", put('<img alt="a" src="http://localhost/lost.png">')),
        ("scrolls sideways", put('<div style="width:3000px">wide</div>')),
        ("small letters", put("<style>body{font-size:11px}</style>")),
        ("not a number", put("<p>RMSE -nan</p>")),
        ("link to nowhere: #lost", put('<a href="#lost">here</a>')),
        ("contrast of", put("<style>.soft{color:#999}</style>")),
        ("contrast of", put("<style>svg text{fill:#ccc}</style>")),
        ("no part 'Weights'", without("<h2>Weights</h2>")),
        ("cover each other", put('<svg height="20" aria-label="x"><text y="9">one</text>'
                                 '<text y="9">two</text></svg>')),
        ("is cut", put('<svg height="20" aria-label="x"><text x="99%" y="9">too far</text></svg>')),
        ("a drawing without a label", put('<svg height="20"></svg>')),
        ("drawing 'x' is", put('<div style="width:9px"><svg height="20" aria-label="x"></svg>'
                               '</div>')),
    ]


def main():
    shots, faults, wrong = sys.argv[1], [], []
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        browser = browse.Browser(profile)
        for pair in sys.argv[2:]:
            page, answer = pair.split("=")
            known = json.loads(browse.read(answer))
            name = os.path.splitext(os.path.basename(page))[0]
            for width in browse.VIEWS:
                for scheme in ("light", "dark"):
                    found = look(browser, os.path.abspath(page), known, width, scheme,
                                 f"{shots}/{name}-{width}-{scheme}.png")
                    faults += [f"{name} at {width} pixels, {scheme}: {fault}" for fault in found]
            if "value" not in known or wrong:
                continue
            wrong = damages(browse.read(page))
            for words, text in wrong:
                damaged = profile + "/damaged.html"
                with open(damaged, "w", encoding="utf-8") as file:
                    file.write(text)
                found = look(browser, damaged, known, 400, "light")
                if not any(words in fault for fault in found):
                    faults.append(f"the check is blind: nothing about '{words}' in {found}")
        browser.end()
    for fault in faults:
        print("answer:", fault, file=sys.stderr)
    print(f"answer: {len(sys.argv) - 2} pages, {len(wrong)} damaged ones, {len(faults)} faults")
    sys.exit(1 if faults or not wrong else 0)


main()
