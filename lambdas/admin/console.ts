/**
 * Serves the console, whose files are public: they hold no data and no credential. Everything that
 * the pages show comes from the APIs, which check the credential of each request. Bound by
 * docs/service.md, Console.
 */
import {
  type AdminAnswer,
  type AdminRequest,
  toRefusalAnswer,
} from '../../adapters/http/admin-kit.ts'

/** Reads a file of the console; undefined if there is none of this name. */
export type ReadConsoleFile = (name: string) => Promise<string | undefined>

/** API Gateway passes the path with its stage, and the twin serves the same one. */
const CONSOLE_FORM = /^(?:\/v1)?\/console(?:\/(.*))?$/
const FILE_NAME = /^(?:index|[a-z-]+-[0-9A-Z]{8})\.(html|js|css)$/

const TYPES: { readonly [extension: string]: string } = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
}

/** The page may load its own files, ask its own origin, and nothing else. */
export const CONSOLE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

const PAGE_HEADERS = {
  'content-security-policy': CONSOLE_POLICY,
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'strict-transport-security': 'max-age=31536000',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
}

/** The names of scripts and styles change with their content. */
const KEPT = { 'cache-control': 'public, max-age=31536000, immutable' }

export function isConsolePath(path: string): boolean {
  return CONSOLE_FORM.test(path)
}

/** Answers a request for {@link isConsolePath}, without a credential. */
export async function answerConsole(
  read: ReadConsoleFile,
  { method, path }: Pick<AdminRequest, 'method' | 'path'>,
): Promise<AdminAnswer> {
  if (method !== 'GET' && method !== 'HEAD') {
    const detail = 'The console takes GET only.'
    return toRefusalAnswer({ code: 'method_not_allowed', detail }, { allow: 'GET, HEAD' })
  }
  const [, rest] = CONSOLE_FORM.exec(path) ?? []
  // Relative addresses in the page need the slash.
  if (rest === undefined) return { status: 308, body: undefined, headers: { location: 'console/' } }
  const name = rest === '' ? 'index.html' : rest
  const extension = FILE_NAME.exec(name)?.[1]
  const text = extension === undefined ? undefined : await read(name)
  if (extension === undefined || text === undefined) {
    const detail = 'path: the console has no such file. Its page is at console/.'
    return toRefusalAnswer({ code: 'not_found', detail })
  }
  return {
    status: 200,
    body: method === 'HEAD' ? undefined : text,
    headers: {
      ...PAGE_HEADERS,
      'content-type': TYPES[extension] ?? '',
      ...(extension === 'html' ? {} : KEPT),
    },
  }
}
