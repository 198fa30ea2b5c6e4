/** How upstreams spell a text that they echo. */
const hex = (char: string) => (char.codePointAt(0) ?? 0).toString(16)
const decimal = (char: string) => String(char.codePointAt(0))
const each = (text: string, which: RegExp, spell: (char: string) => string) =>
  [...text].map((char) => (which.test(char) ? spell(char) : char)).join('')
const units = (char: string, before = '\\') =>
  char.replace(/[\s\S]/g, (unit) => `${before}u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
const bytes = (char: string, before = '%') =>
  [...Buffer.from(char)].map((byte) => before + byte.toString(16).padStart(2, '0')).join('')

const MUSTACHE: { readonly [char: string]: string } = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '/': '&#x2F;',
  '`': '&#x60;',
  '=': '&#x3D;',
}
const GO: { readonly [char: string]: string } = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&#34;',
  "'": '&#39;',
  '+': '&#43;',
}
const json = (text: string) => JSON.stringify(text).slice(1, -1)

/** Encoders of upstreams, by their names. */
export const ENCODERS: readonly (readonly [string, (text: string) => string])[] = [
  ['plain', (text) => text],
  ['JSON', json],
  ['JSON twice', (text) => json(json(text))],
  ['JSON with slashes', (text) => json(text).replaceAll('/', '\\/')],
  ['JSON in ASCII', (text) => each(json(text), /[^\x20-\x7e]/, units)],
  [
    'JSON of .NET',
    (text) =>
      each(json(text), /[^\x20-\x7e]|[+<>&'`]/, (c) =>
        units(c).replace(/[a-f]/g, (h) => h.toUpperCase()),
      ),
  ],
  ['JavaScript, each character', (text) => each(text, /[\s\S]/u, units)],
  ['Handlebars and Mustache', (text) => each(text, /[\s\S]/u, (c) => MUSTACHE[c] ?? c)],
  ['Go', (text) => each(text, /[\s\S]/u, (c) => GO[c] ?? c)],
  ['.NET', (text) => each(text, /[^\x20-\x7e]|[+<>&'"`]/, (c) => `&#x${hex(c).toUpperCase()};`)],
  ['OWASP', (text) => each(text, /[^0-9A-Za-z]/u, (c) => `&#x${hex(c)};`)],
  ['decimal references', (text) => each(text, /[\s\S]/u, (c) => `&#${decimal(c)};`)],
  ['references with zeros', (text) => each(text, /[^0-9A-Za-z]/u, (c) => `&#00${decimal(c)};`)],
  [
    'HTML twice',
    (text) =>
      each(
        each(text, /[\s\S]/u, (c) => MUSTACHE[c] ?? c),
        /&/,
        () => '&amp;',
      ),
  ],
  [
    'HTML in JSON in ASCII',
    (text) =>
      each(
        each(text, /[\s\S]/u, (c) => MUSTACHE[c] ?? c),
        /[&<>]/,
        units,
      ),
  ],
  ['percent in upper case', (text) => each(text, /[^0-9A-Za-z]/u, (c) => bytes(c).toUpperCase())],
  ['percent in lower case', (text) => each(text, /[^0-9A-Za-z]/u, (c) => bytes(c))],
  ['percent twice', (text) => each(text, /[^0-9A-Za-z]/u, (c) => bytes(c, '%25'))],
  ['encodeURIComponent', (text) => encodeURIComponent(text)],
  ['a form', (text) => new URLSearchParams([['', text]]).toString().slice(1)],
  ['Markdown', (text) => each(text, /[\\`*_{}[\]()#+.!|<>~-]/, (c) => `\\${c}`)],
  ['CSV', (text) => text.replaceAll('"', '""')],
  ['base64', (text) => Buffer.from(text).toString('base64')],
  ['base64url', (text) => Buffer.from(text).toString('base64url')],
  ['base64 in a URL', (text) => encodeURIComponent(Buffer.from(text).toString('base64'))],
  ['base64 in JSON of .NET', (text) => each(Buffer.from(text).toString('base64'), /[+=]/, units)],
  ['hex', (text) => Buffer.from(text).toString('hex')],
]
