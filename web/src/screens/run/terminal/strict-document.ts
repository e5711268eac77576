/**
 * The document as a library sees it that writes style elements and style attributes, which our pages' policy forbids:
 * its sheets are adopted as objects, and its attributes become properties. Neither lets anything in from outside.
 */
export function strictDocument(real: Document): Document {
  const make = (name: string): HTMLElement => Document.prototype.createElement.call(real, name);
  const createElement = (name: string): HTMLElement =>
    name === "style" ? sheetElement(real, make) : spanned(make(name));
  return new Proxy(real, {
    get(target, key) {
      if (key === "createElement") return createElement;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
}

/** Stands for a style element: what is written into it becomes a sheet of the document, until it is removed. */
function sheetElement(real: Document, make: (name: string) => HTMLElement): HTMLElement {
  const element = make("span");
  const sheet = new CSSStyleSheet();
  element.hidden = true;
  real.adoptedStyleSheets = [...real.adoptedStyleSheets, sheet];
  Object.defineProperty(element, "textContent", { set: (text: string) => sheet.replaceSync(text) });
  element.remove = () => {
    real.adoptedStyleSheets = real.adoptedStyleSheets.filter((one) => one !== sheet);
    Element.prototype.remove.call(element);
  };
  return element;
}

function spanned(element: HTMLElement): HTMLElement {
  if (element.tagName !== "SPAN") return element;
  element.setAttribute = (name: string, value: string) => {
    if (name === "style") element.style.cssText = value;
    else Element.prototype.setAttribute.call(element, name, value);
  };
  return element;
}
