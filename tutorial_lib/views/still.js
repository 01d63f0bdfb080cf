// As much of a browser's document as a drawing needs, so that Python can run a view's script: elements that can be made, filled
// and written as HTML. Nothing here has a size, and nothing can be pressed.
var still = (function () {
  const VOID = /^(br|col|img|input)$/;

  function escaped(text) {
    return String(text).replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`);
  }

  class Node {
    constructor(tag, drawn) {
      Object.assign(this, { tag, drawn, attributes: new Map(), children: [] });
      this.style = { setProperty: (name, value) => this.setAttribute("style", `${name}: ${value};`) }; // one is enough
      this.dataset = new Proxy(this, { set: (_, name, value) => this.setAttribute(`data-${name}`, value) });
    }

    setAttribute(name, value) {
      this.attributes.set(name, String(value));
      return true;
    }

    removeAttribute(name) { this.attributes.delete(name); }

    append(...children) { this.children.push(...children); }

    replaceChildren(...children) { this.children = children; }

    set textContent(text) { this.children = [String(text)]; }

    set innerHTML(text) { this.children = [{ outerHTML: text }]; }

    get innerHTML() {
      return this.children.map((child) => child.outerHTML ?? escaped(child)).join("");
    }

    get outerHTML() {
      const start = `<${[this.tag, ...[...this.attributes].map(([name, value]) => `${name}="${escaped(value)}"`)].join(" ")}`;
      if (this.drawn && !this.children.length) return `${start}/>`;
      return VOID.test(this.tag) ? `${start}>` : `${start}>${this.innerHTML}</${this.tag}>`;
    }
  }

  globalThis.document = { createElement: (tag) => new Node(tag), createElementNS: (_, tag) => new Node(tag, true) };

  globalThis.atob = function (text) {
    const found = [];
    let bits = 0, held = 0;
    for (const letter of text.replace(/=/g, "")) {
      bits = (bits << 6) | "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".indexOf(letter);
      held += 6;
      if (held < 8) continue;
      held -= 8;
      found.push(String.fromCharCode((bits >> held) & 255));
      bits &= (1 << held) - 1;
    }
    return found.join("");
  };

  // What draw(view) draws first, as [HTML, sentence]. `still` tells it that no controls are wanted.
  return function (data, draw) {
    const picture = new Node("div");
    let said = "";
    draw({ still: true, data, picture, root: new Node("div"), say(text) { said = text; } });
    return JSON.stringify([picture.innerHTML, said]);
  };
})();
