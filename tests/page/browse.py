#!/usr/bin/python3
"""browse.py DIR SHOTS [EXPECTED] - Opens DIR/report.html in headless Chromium and judges it.

On a screen of 1280 pixels and on a telephone of 400: everything loads without a word and without
the network, every figure is drawn and legible, nothing sticks out, all claims are there. Pictures
of both go to SHOTS. The file EXPECTED says which claims there should be and how many panels; without
it the JSON files and the drawings of DIR do. Then pages that were damaged on purpose: each fault has
to be found, by its words, or the check itself is broken.

It speaks the DevTools protocol over a pipe, messages of JSON that end in a zero byte, so that the
standard library is enough. Ends with status 1 and one line per fault.
"""

import base64
import glob
import json
import os
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree

PATIENCE = 240  # seconds until an answer must be there
VIEWS = {1280: {"height": 900, "mobile": False, "figure": 400, "letters": 9},
         400: {"height": 800, "mobile": True, "figure": 300, "letters": 9}}


class Browser:
    """A Chromium of our own, with a profile that goes when it ends."""

    def __init__(self, profile):
        to_child, self.out = os.pipe()
        self.inward, from_child = os.pipe()
        # The shell puts the ends of the pipes where the browser looks for them, at 3 and 4.
        command = ["bash", "-c", f'exec "$@" 3<&{to_child} 4>&{from_child}', "bash", "chromium",
                   "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                   "--no-first-run", "--disable-background-networking",
                   "--disable-component-update", "--host-resolver-rules=MAP * ~NOTFOUND",
                   "--hide-scrollbars", f"--user-data-dir={profile}", "--remote-debugging-pipe",
                   "about:blank"]
        self.said = open(os.path.join(profile, "stderr.txt"), "w+", encoding="utf-8")
        self.process = subprocess.Popen(command, pass_fds=(to_child, from_child),
                                        stdin=subprocess.DEVNULL, stdout=self.said,
                                        stderr=self.said, env={**os.environ, "HOME": profile})
        os.close(to_child)
        os.close(from_child)
        self.rest, self.last, self.session, self.events = b"", 0, None, []

    def read(self, seconds):
        """The next message, or None after so many seconds."""
        until = time.monotonic() + seconds
        while b"\0" not in self.rest:
            left = until - time.monotonic()
            if left <= 0 or not select.select([self.inward], [], [], left)[0]:
                return None
            block = os.read(self.inward, 1 << 20)
            if not block:
                self.said.seek(0)
                sys.exit("browse: chromium ended by itself:\n" + self.said.read()[-2000:])
            self.rest += block
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **parameters):
        """What the browser answers; events on the way are kept."""
        self.last += 1
        message = {"id": self.last, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        left = json.dumps(message).encode() + b"\0"
        while left:
            left = left[os.write(self.out, left):]
        while True:
            answer = self.read(PATIENCE)
            if answer is None:
                sys.exit(f"browse: chromium did not answer {method} in {PATIENCE} s")
            if answer.get("id") == self.last:
                if "error" in answer:
                    sys.exit(f"browse: {method}: {answer['error']['message']}")
                return answer["result"]
            self.events.append(answer)

    def evaluate(self, script):
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True,
                           awaitPromise=True)
        if "exceptionDetails" in answer:
            sys.exit("browse: the check's own script failed: " + json.dumps(answer)[:2000])
        return answer["result"].get("value")

    def open(self, path, width):
        """A new tab with the page in it, loaded."""
        view = VIEWS[width]
        self.session, self.events = None, []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target,
                                 flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=view["height"],
                  deviceScaleFactor=1, mobile=view["mobile"])
        self.call("Page.navigate", url="file://" + path)
        until = time.monotonic() + PATIENCE
        while not any(e.get("method") == "Page.loadEventFired" for e in self.events):
            event = self.read(until - time.monotonic())
            if event is None:
                sys.exit(f"browse: {path} did not load in {PATIENCE} s")
            self.events.append(event)
        return target

    def shoot(self, path):
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        shot = self.call("Page.captureScreenshot", captureBeyondViewport=True,
                         clip={"x": 0, "y": 0, "width": size["width"],
                               "height": min(size["height"], 16000), "scale": 1})
        with open(path, "wb") as file:
            file.write(base64.b64decode(shot["data"]))

    def leave(self, target):
        self.session = None
        self.call("Target.closeTarget", targetId=target)

    def end(self):
        """Goes when asked to; is stopped where it does not."""
        self.session = None
        self.call("Browser.close")
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


# ---- What is asked of the page

IMAGES = """Promise.all([...document.images].map(i => i.decode().catch(() => 0))).then(() =>
  [...document.images].map(i => ({src: i.src, alt: i.alt, complete: i.complete,
    natural: i.naturalWidth, width: i.getBoundingClientRect().width})))
"""

# Text that is wider than its box, or that ends outside of the screen; `.wide` boxes may scroll.
OVERFLOW = """(() => {
  const faults = [], page = document.documentElement;
  if (page.scrollWidth > page.clientWidth)
    faults.push(`the page scrolls sideways: ${page.scrollWidth} > ${page.clientWidth}`);
  for (const e of document.body.querySelectorAll('*')) {
    const box = e.getBoundingClientRect();
    if (box.width === 0 || e.matches('.wide') || e.parentElement.closest('.wide')) continue;
    const name = `<${e.tagName.toLowerCase()}> "${e.textContent.trim().slice(0, 40)}"`;
    if (box.right > page.clientWidth + 1 || box.left < -1)
      faults.push(`${name} sticks out: ${box.left} to ${box.right}`);
    else if (getComputedStyle(e).display !== 'inline' && e.scrollWidth > e.clientWidth + 1)
      faults.push(`${name} is wider than its box: ${e.scrollWidth} > ${e.clientWidth}`);
  }
  for (const e of document.querySelectorAll('.wide'))
    if (!['auto', 'scroll'].includes(getComputedStyle(e).overflowX))
      faults.push('a .wide box does not scroll');
  return faults;
})()"""

PAGE = """(() => {
  const style = e => getComputedStyle(e);
  const owns = e => [...e.childNodes].some(n => n.nodeType === 3 && n.data.trim());
  const small = [...document.body.querySelectorAll('*')].filter(owns)
    .map(e => [parseFloat(style(e).fontSize), e.textContent.trim().slice(0, 40)])
    .sort((a, b) => a[0] - b[0])[0];
  return {
    body: parseFloat(style(document.body).fontSize), small: small,
    title: document.title, quirks: document.compatMode,
    lost: [...document.querySelectorAll('a[href^="#"]')].map(a => a.getAttribute('href'))
      .filter(h => !document.getElementById(decodeURIComponent(h.slice(1)))),
    links: document.querySelectorAll('a[href^="#"]').length,
    nan: document.body.textContent.match(/.{0,30}\\b(nan|inf|null)\\b/i),
    rows: [...document.querySelectorAll('.claims tbody tr')].map(row => {
      const badges = [...row.querySelectorAll('.verdict')];
      return {text: row.textContent, badges: badges.map(b =>
        [b.textContent, style(b).color, style(b).backgroundColor])};
    }),
  };
})()"""

# Text of a drawing that is cut or covers other text; a box is a little larger than its letters.
DRAWING = """(text => {
  const faults = [], slack = 3;
  const drawing = new DOMParser().parseFromString(text, 'image/svg+xml').documentElement;
  const [, , width, height] = drawing.getAttribute('viewBox').split(' ').map(Number);
  drawing.setAttribute('style', `position:absolute;left:0;top:0;width:${width}px;` +
                                `height:${height}px`);
  document.body.append(drawing);
  const home = drawing.getBoundingClientRect();
  const boxes = [...drawing.querySelectorAll('text')].filter(t => t.textContent.trim())
    .map(t => ({text: t.textContent.replace(/\\s+/g, ' ').trim(), box: t.getBoundingClientRect()}));
  boxes.forEach((a, i) => {
    if (a.box.left < home.left || a.box.right > home.right || a.box.top < home.top - slack ||
        a.box.bottom > home.bottom + slack)
      faults.push(`'${a.text}' is cut`);
    for (const b of boxes.slice(i + 1))
      if (Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left) > slack &&
          Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top) > slack)
        faults.push(`'${a.text}' and '${b.text}' cover each other`);
  });
  drawing.remove();
  return {faults: faults, texts: boxes.map(b => b.text)};
})"""

# Of every section with figures: the methods of each panel, as its table names them.
METHODS = """Object.fromEntries([...document.querySelectorAll('section')]
  .filter(s => s.querySelector('.numbers')).map(s => [s.querySelector('h2').id,
    [...s.querySelectorAll('.numbers')].map(t =>
      [...t.querySelectorAll('tbody tr td:first-child')].map(d => d.textContent))]))"""

OPEN_ALL = "for (const d of document.querySelectorAll('details')) d.open = true; 0"


# ---- The faults

def of_events(events):
    for event in events:
        method, of = event.get("method"), event.get("params", {})
        if method == "Runtime.consoleAPICalled" and of["type"] in ("error", "warning", "assert"):
            yield f"console {of['type']}: " + " ".join(str(a.get("value")) for a in of["args"])
        elif method == "Log.entryAdded" and of["entry"]["level"] in ("error", "warning"):
            yield f"log {of['entry']['level']}: {of['entry']['text'][:200]}"
        elif method == "Runtime.exceptionThrown":
            yield "exception: " + of["exceptionDetails"]["text"]
        elif method == "Network.loadingFailed":
            yield f"request failed: {of['errorText']}"
        elif method == "Network.requestWillBeSent":
            url = of["request"]["url"]
            own = of.get("type") == "Document" and url.startswith("file:")
            if not url.startswith("data:") and not own:
                yield f"outgoing request: {url[:200]}"


def of_drawing(data, shown, letters):
    """The smallest letters of an SVG, in the size they are shown at."""
    root = ElementTree.fromstring(data)
    sizes, space = [], "{http://www.w3.org/2000/svg}"

    def visit(node, size):
        size = float(re.sub("px|pt", "", node.get("font-size", str(size))))
        if node.tag in (space + "text", space + "tspan") and (node.text or "").strip():
            sizes.append(size)
        for child in node:
            visit(child, size)

    visit(root, 16)
    width = float(root.get("viewBox").split()[2])
    if not sizes:
        yield "a figure without text"
    elif min(sizes) * shown / width < letters:
        yield (f"letters of {min(sizes) * shown / width:.1f} pixels in a figure, "
               f"less than {letters}")


def of_images(images, count, view):
    if len(images) != count:
        yield f"{len(images)} figures on the page, {count} in the folder"
    for image in images:
        name = f"figure '{image['alt']}'"
        if not image["alt"].strip():
            yield "a figure without alt text"
        if not image["complete"] or image["natural"] == 0:
            yield name + " is not drawn"
            continue
        if image["width"] < view["figure"]:
            yield f"{name} is {image['width']:.0f} pixels wide, less than {view['figure']}"
        if not image["src"].startswith("data:image/svg+xml;base64,"):
            yield name + " is not in the page itself"
            continue
        data = base64.b64decode(image["src"].split(",", 1)[1])
        for fault in of_drawing(data, image["width"], view["letters"]):
            yield f"{name}: {fault}"


def luminance(colour):
    parts = [float(x) / 255 for x in re.findall(r"[\d.]+", colour)[:3]]
    linear = [x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def of_claims(rows, claims):
    if len(rows) != len(claims):
        yield f"{len(rows)} rows of claims on the page, {len(claims)} claims in the JSON files"
    for claim in claims:
        fit = [row for row in rows if claim["claim"] in row["text"] and
               claim["measured"] in row["text"] and claim["rule"] in row["text"]]
        if not any([b[0] for b in row["badges"]] == [claim["verdict"]] for row in fit):
            yield f"no row says '{claim['verdict']}' to: {claim['claim']}"
    for row in rows:
        if len(row["badges"]) != 1 or row["badges"][0][0] not in ("reproduced", "partly", "not"):
            yield f"a claim without a verdict: {row['text'][:60]}"
        for badge, ink, paper in row["badges"]:
            if contrast(ink, paper) < 4.5:
                yield f"contrast of '{badge}' is {contrast(ink, paper):.2f}, less than 4.5"


def of_page(page, claims):
    if page["quirks"] != "CSS1Compat" or not page["title"]:
        yield "not a page of today's HTML with a title"
    if page["body"] < 14 or page["small"][0] < 12:
        yield f"small letters: {page['body']} for the text, {page['small']}"
    if page["nan"]:
        yield f"not a number: {page['nan'][0]}"
    if page["links"] == 0:
        yield "no links"
    for href in page["lost"]:
        yield f"link to nowhere: {href}"
    yield from of_claims(page["rows"], claims)


def look(browser, path, expected, width, shot=None):
    """All faults of one page at one width."""
    view, count, claims = VIEWS[width], *expected
    target = browser.open(path, width)
    faults = list(of_images(browser.evaluate(IMAGES), count, view))
    faults += of_page(browser.evaluate(PAGE), claims)
    faults += browser.evaluate(OVERFLOW)
    if shot:
        browser.shoot(shot)
    browser.evaluate(OPEN_ALL)
    faults += [f"with details open, {fault}" for fault in browser.evaluate(OVERFLOW)]
    faults += of_events(browser.events)
    browser.leave(target)
    return faults


def of_drawings(browser, page, drawings):
    """Faults of the drawings {path: text}; each has to name the methods that it shows."""
    target = browser.open(page, 1280)
    methods, faults = browser.evaluate(METHODS), []
    for path, text in drawings.items():
        name = os.path.basename(path)
        answer = browser.evaluate(f"{DRAWING}({json.dumps(text)})")
        faults += [f"{name}: {fault}" for fault in answer["faults"]]
        experiment, panel = re.fullmatch(r"(.*?)(?:-(\d+))?\.svg", name).groups()
        tables = methods.get(experiment, [])
        shown = tables[int(panel) - 1:int(panel)] if panel else tables
        labels = sorted({label for table in shown for label in table})
        faults += [f"{name}: no key for '{label}'" for label in labels
                   if label not in answer["texts"]]
        if not labels:
            faults.append(f"{name}: the page has no table for it")
    browser.leave(target)
    return faults


# ---- Pages that are wrong, and the words that have to be said about each

def damages(text):
    def put(html):
        return text.replace("</body>", html + "</body>")

    def change(old, new):
        if old not in text:
            sys.exit(f"browse: nothing to damage, the page has no {old}")
        return text.replace(old, new, 1)

    image = "data:image/svg+xml;base64,"
    verdict = re.search(r'<span class="verdict [a-z]+">[a-z]+</span>', text).group()
    row = re.search(r"<tr><td><a href=.*?</tr>", text, re.S).group()
    return [
        ("is not drawn", change(image, image + "AAAA")),
        ("without alt text", re.sub('alt="[^"]*"', 'alt=""', text, count=1)),
        ("figures on the page", put(re.search("<img[^>]*>", text).group())),
        ("pixels wide, less than", put("<style>figure img{width:200px}</style>")),
        ("letters of", put("<style>figure img{width:300px}</style>")),
        ("console error: oh", put("<script>console.error('oh')</script>")),
        ("console warning: oh", put("<script>console.warn('oh')</script>")),
        ("exception", put("<script>lost()</script>")),
        ("outgoing request", put('<img alt="a" src="lost.png">')),
        ("outgoing request: http", put('<img alt="a" src="http://localhost/lost.png">')),
        ("request failed", put('<link rel="stylesheet" href="lost.css">')),
        ("scrolls sideways", put('<div style="width:3000px">wide</div>')),
        ("wider than its box", put('<p style="width:50px;overflow:hidden;overflow-wrap:normal">'
                                   'Donaudampfschifffahrtsgesellschaft</p>')),
        ("with details open, the page scrolls",
         put('<details><summary>More</summary><pre>' + "wide " * 999 + "</pre></details>")),
        ("small letters", put("<style>body{font-size:11px}</style>")),
        ("not a number", put("<p>RMSE -nan</p>")),
        ("link to nowhere: #lost", put('<a href="#lost">here</a>')),
        ("rows of claims", change(row, "")),
        ("a claim without a verdict", change(verdict, "")),
        ("no row says", change(verdict, '<span class="verdict not">maybe</span>')),
        ("contrast of", put("<style>.verdict{color:#888}</style>")),
    ]


def damaged_drawings(text):
    label = re.search(r"<text><tspan[^>]*>([^<]*naive mean[^<]*)</tspan></text>", text)
    if not label:
        sys.exit("browse: nothing to damage, the first drawing has no key for the naive mean")
    return [
        ("no key for 'naive mean'", text.replace(label.group(1), "")),
        ("is cut", text.replace(label.group(1), "naive mean" + ", and more" * 20)),
        ("cover each other", text.replace(label.group(), label.group() + label.group())),
    ]


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def expected(folder, kept):
    """The number of panels and the claims: from the file `kept`, or from what reproduce wrote."""
    if kept:
        known = json.loads(read(kept))
        return known["panels"], known["claims"]
    claims = []
    for path in sorted(glob.glob(folder + "/*.json")):
        claims += json.loads(read(path))["claims"]
    return len(glob.glob(folder + "/figures/*-[0-9].svg")), claims


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    folder, shots = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    if not shutil.which("chromium"):
        sys.exit("browse: there is no chromium; script/setup test installs it")
    panels, claims = expected(folder, sys.argv[3] if len(sys.argv) == 4 else None)
    if not panels or not claims:
        sys.exit(f"browse: {folder} has {panels} panels and {len(claims)} claims")
    page, faults = folder + "/report.html", []
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        browser = Browser(profile)
        for width in VIEWS:
            found = look(browser, page, (panels, claims), width, f"{shots}/page-{width}.png")
            faults += [f"at {width} pixels: {fault}" for fault in found]
        drawings = {path: read(path) for path in glob.glob(folder + "/figures/*.svg")}
        faults += of_drawings(browser, page, drawings)
        path, text = min(drawings.items(), key=lambda item: (not item[0].endswith("-1.svg"), item))
        for words, damaged in damaged_drawings(text):
            found = of_drawings(browser, page, {path: damaged})
            if not any(words in fault for fault in found):
                faults.append(f"the check is blind: nothing about '{words}' in {found}")
        wrong = damages(read(page))
        for words, text in wrong:
            damaged = profile + "/damaged.html"
            with open(damaged, "w", encoding="utf-8") as file:
                file.write(text)
            found = look(browser, damaged, (panels, claims), 400)
            if not any(words in fault for fault in found):
                faults.append(f"the check is blind: nothing about '{words}' in {found}")
        browser.end()
    for fault in faults:
        print("browse:", fault, file=sys.stderr)
    print(f"browse: {panels} figures, {len(claims)} claims, {len(wrong)} damaged pages, "
          f"{len(faults)} faults")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
