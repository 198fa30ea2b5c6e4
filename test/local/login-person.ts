/**
 * A person with a browser, simulated by fetch: opens the page, keeps its cookies, enters a key,
 * allows, and follows the redirect up to the client's own callback.
 */

export type Page = {
  readonly status: number
  readonly html: string
  readonly headers: Headers
  readonly location: string | undefined
}

export type Browser = {
  open(url: URL | string): Promise<Page>
  /** Sends the form of a page as the browser would, with `more` in its fields. */
  send(page: Page, more: { readonly [name: string]: string }, origin?: string): Promise<Page>
}

export function openBrowser(gateway: string): Browser {
  const cookies = new Map<string, string>()
  const ask = async (url: URL | string, init: RequestInit): Promise<Page> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = { ...init.headers, ...(cookie === '' ? {} : { cookie }) }
    const answer = await fetch(url, { ...init, headers, redirect: 'manual' })
    for (const set of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? []
      if (set.includes('; Max-Age=0')) cookies.delete(name)
      else cookies.set(name, value)
    }
    const location = answer.headers.get('location') ?? undefined
    return { status: answer.status, html: await answer.text(), headers: answer.headers, location }
  }
  return {
    open: (url) => ask(url, {}),
    send: (page, more, origin = gateway) =>
      ask(`${gateway}/authorize`, {
        method: 'POST',
        headers: { origin, 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ ...readHidden(page.html), ...more }).toString(),
      }),
  }
}

/** Hidden fields of the page's form, with their escapes undone. */
export function readHidden(html: string): { readonly [name: string]: string } {
  const fields = html.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)">/g)
  const unescaped = (text: string) =>
    text.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))
  return Object.fromEntries(
    [...fields].map(([, name = '', value = '']) => [name, unescaped(value)]),
  )
}

/** Logs in with a key and returns the callback with its code. */
export async function logIn(gateway: string, url: URL | string, key: string): Promise<URL> {
  const browser = openBrowser(gateway)
  const first = await browser.open(url)
  const second = await browser.send(first, { key })
  const last = await browser.send(second, { decision: 'allow' })
  if (last.location === undefined) throw new Error(`no redirect: ${last.status} ${last.html}`)
  return new URL(last.location)
}
