/**
 * Which page is shown. The page and all its filters are in the part of the address behind `#`, so
 * that an address can be sent to a colleague, and the server sees none of it.
 */
import { signal } from '@preact/signals'

export type Route = {
  /** The path in decoded segments: `['users', 'ada']`. */
  readonly path: readonly string[]
  readonly query: { readonly [name: string]: string }
}

export const route = signal<Route>(parseRoute(location.hash))

addEventListener('hashchange', () => {
  route.value = parseRoute(location.hash)
})

export function parseRoute(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?', 2)
  return {
    path: path
      .split('/')
      .filter((part) => part !== '')
      .map(decode),
    query: Object.fromEntries(new URLSearchParams(query)),
  }
}

/** Returns the address of a page, for links. Empty filters are left out. */
export function toHref(
  path: readonly string[],
  query: { readonly [name: string]: string | undefined } = {},
): string {
  const filters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== '') filters.set(name, value)
  }
  const text = filters.toString()
  return `#/${path.map(encodeURIComponent).join('/')}${text === '' ? '' : `?${text}`}`
}

/** Goes to a page. `replace` leaves no step in the history, for filters that a person types. */
export function go(href: string, replace = false): void {
  if (!replace) {
    location.hash = href
    return
  }
  history.replaceState(null, '', href)
  route.value = parseRoute(href)
}

/** Changes filters of the page that is shown. */
export function setQuery(change: { readonly [name: string]: string | undefined }): void {
  const { path, query } = route.value
  go(toHref(path, { ...query, ...change }), true)
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
