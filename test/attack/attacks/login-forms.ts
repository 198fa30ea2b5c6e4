/** The pages of the login, used by a page of another site, by another browser, and to guess keys. */
import { CALLBACK, makeClient, register } from '../../local/login-client.ts'
import { openBrowser, type Page, readHidden } from '../../local/login-person.ts'
import { type Attack, EVERYWHERE } from '../attack.ts'
import { describePage, probingAttack } from '../probes.ts'
import type { Target } from '../target.ts'

const EVIL = 'https://evil.example'
const ALLOW = { decision: 'allow' }

/** A form as a page of any site can send it: with what the browser adds by itself, and nothing more. */
async function sendForm(
  { origin }: Target,
  fields: { readonly [name: string]: string },
  headers: { readonly [name: string]: string },
): Promise<string> {
  const answer = await fetch(`${origin}/authorize`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams(fields).toString(),
    redirect: 'manual',
  })
  return String(answer.status)
}

function cookieOf({ headers }: Page): string {
  return headers.getSetCookie()[0]?.split(';')[0] ?? ''
}

const FORGED_CONSENT = probingAttack({
  name: 'login-forged-consent',
  tried:
    "forms of another site, of another browser, without the page's values, and with another key's",
  on: EVERYWHERE,
  probe: async (target, note) => {
    const { origin } = target
    const [victim, thief] = [await target.user(), await target.user()]
    const client = await makeClient(origin)
    const browser = openBrowser(origin)
    const page = await browser.open(client.authorizeUrl())
    const fields = { ...readHidden(page.html), key: victim.key }
    const cookie = cookieOf(page)
    note('no cookie', '403', await sendForm(target, fields, { origin }))
    note('another site', '403', await sendForm(target, fields, { origin: EVIL, cookie }))
    const near = `${origin}.evil.example`
    note('a site with a near name', '403', await sendForm(target, fields, { origin: near, cookie }))
    const bare = { key: victim.key, ...ALLOW }
    note('no values', '403', await sendForm(target, bare, { origin: 'null', cookie }))
    note('no origin and no values', '403', await sendForm(target, bare, { cookie }))
    for (const name of ['request', 'opened', 'proof', 'tab']) {
      const changed = { ...fields, [name]: `${Reflect.get(fields, name)}1` }
      note(`another ${name}`, '403', await sendForm(target, changed, { origin, cookie }))
    }
    const other = openBrowser(origin)
    const otherCookie = cookieOf(await other.open(client.authorizeUrl()))
    note('another browser', '403', await sendForm(target, fields, { origin, cookie: otherCookie }))
    note(
      'a skipped key',
      '403',
      await sendForm(target, { ...fields, key_id: 'a'.repeat(43), ...ALLOW }, { origin, cookie }),
    )
    const consent = await browser.send(page, { key: victim.key })
    note('the first form', '200', describePage(consent))
    const thiefPage = await other.send(await other.open(client.authorizeUrl()), { key: thief.key })
    const swapped = {
      ...readHidden(consent.html),
      ...ALLOW,
      key_id: readHidden(thiefPage.html)['key_id'] ?? '',
    }
    note("another person's key", '403', await sendForm(target, swapped, { origin, cookie }))
    const json = { origin, cookie, 'content-type': 'text/plain' }
    note(
      'another type',
      '400',
      await sendForm(target, { ...readHidden(consent.html), ...ALLOW }, json),
    )
    note('the second form', '303 code', describePage(await browser.send(consent, ALLOW)))
  },
})

const SHOWN = '<script>alert(1)</script>"\'>\u202Eelpmaxe'

const SHOWN_NAMES = probingAttack({
  name: 'login-shown-names',
  tried: 'a client whose name is markup and hidden characters, and pages in a frame',
  on: EVERYWHERE,
  probe: async (target, note) => {
    const { body } = await register(target.origin, {
      client_name: SHOWN,
      redirect_uris: [CALLBACK],
    })
    const client_id = String(Reflect.get(Object(body), 'client_id'))
    const client = await makeClient(target.origin)
    const { headers, html } = await openBrowser(target.origin).open(
      client.authorizeUrl({ client_id }),
    )
    note('the page', 'with the name', html.includes('alert(1)') ? 'with the name' : 'without it')
    note('markup', 'escaped', /<script|"'>/.test(html) ? 'raw' : 'escaped')
    note('hidden characters', 'shown', html.includes('\u202E') ? 'hidden' : 'shown')
    const policy = headers.get('content-security-policy') ?? ''
    note('frames', 'none', policy.includes("frame-ancestors 'none'") ? 'none' : policy)
    note('scripts', 'none', policy.includes("default-src 'none'") ? 'none' : policy)
    note('caches', 'no-store', headers.get('cache-control') ?? '')
    note('referrers', 'same-origin', headers.get('referrer-policy') ?? '')
    note(
      'other origins',
      'may not read',
      headers.has('access-control-allow-origin') ? 'may' : 'may not read',
    )
  },
})

/** More than a network may send in one window. */
const GUESSES = 25

/** Must be the last attack on the login: the network of this run may not log in for a while. */
export const LOGIN_GUESS_ATTACK = probingAttack({
  name: 'login-guesses',
  tried: `${GUESSES} wrong keys on the page, then the right one`,
  on: EVERYWHERE,
  probe: async (target, note) => {
    const client = await makeClient(target.origin)
    const browser = openBrowser(target.origin)
    const page = await browser.open(client.authorizeUrl())
    const { key } = await target.user()
    const guesses = Array.from(
      { length: GUESSES },
      (_, at) => `sgk_${String(at).padStart(43, 'x')}`,
    )
    for (const guess of guesses) await browser.send(page, { key: guess })
    note('the right key afterwards', '429', describePage(await browser.send(page, { key })))
    const again = openBrowser(target.origin)
    const fresh = await again.open(client.authorizeUrl())
    note('the right key on another page', '429', describePage(await again.send(fresh, { key })))
  },
})

export const LOGIN_FORM_ATTACKS: readonly Attack[] = [FORGED_CONSENT, SHOWN_NAMES]
