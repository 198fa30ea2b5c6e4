/**
 * The cookies of the login: one for each form, which binds it to its browser, and one for the
 * invitation that the browser has opened. With https, `__Host-` keeps other hosts of the domain from
 * setting them; a page on loopback has http, where browsers refuse that prefix.
 */
import type { PersonContext } from '../../core/flow/login/login-context.ts'
import { FORM_LIFE_SEC, INVITE_COOKIE_LIFE_SEC } from '../../core/login/limits.ts'

type Site = Pick<PersonContext, 'login'>
type FormSite = Site & { readonly ports: Pick<PersonContext['ports'], 'digests'> }

/** Names the tab of a form: two tabs have two cookies. */
export function toTab({ ports }: FormSite, nonce: string): string {
  return ports.digests.sha256(`tab\n${nonce}`).slice(0, 8)
}

export function writeFormCookie(context: FormSite, nonce: string): string {
  return writeCookie(context, {
    name: `login_${toTab(context, nonce)}`,
    value: nonce,
    sameSite: 'Strict',
    maxAgeSec: FORM_LIFE_SEC,
  })
}

/** The nonce of the form in this tab; undefined without its cookie. */
export function readFormCookie(
  site: Site,
  cookies: string | undefined,
  tab: string,
): string | undefined {
  return /^[A-Za-z0-9_-]{8}$/.test(tab) ? findCookie(site, cookies, `login_${tab}`) : undefined
}

/**
 * Lax and not Strict: a client on another site sends the browser to /authorize, and a Strict cookie
 * would not come along. It only says who may log in; the form has its own Strict cookie.
 */
export function writeInviteCookie(site: Site, secret: string): string {
  return writeCookie(site, {
    name: 'invite',
    value: secret,
    sameSite: 'Lax',
    maxAgeSec: INVITE_COOKIE_LIFE_SEC,
  })
}

export function readInviteCookie(site: Site, cookies: string | undefined): string | undefined {
  return findCookie(site, cookies, 'invite')
}

/**
 * Holds a login at an upstream until the browser is back. Lax, because it comes back from the site
 * of the authorization server.
 */
export function writeUpstreamCookie(
  context: FormSite,
  { cookie, state }: { readonly cookie: string; readonly state: string },
): string {
  const name = `upstream_${toTab(context, state)}`
  return writeCookie(context, { name, value: cookie, sameSite: 'Lax', maxAgeSec: FORM_LIFE_SEC })
}

export function readUpstreamCookie(
  context: FormSite,
  cookies: string | undefined,
  state: string,
): string | undefined {
  return findCookie(context, cookies, `upstream_${toTab(context, state)}`)
}

/** Makes the browser forget a login that has ended. */
export function dropUpstreamCookie(context: FormSite, state: string): string {
  const name = `upstream_${toTab(context, state)}`
  return writeCookie(context, { name, value: '', sameSite: 'Lax', maxAgeSec: 0 })
}

/** Makes the browser forget its invitation. */
export function dropInviteCookie(site: Site): string {
  return writeCookie(site, { name: 'invite', value: '', sameSite: 'Lax', maxAgeSec: 0 })
}

type Cookie = {
  readonly name: string
  readonly value: string
  readonly sameSite: 'Lax' | 'Strict'
  readonly maxAgeSec: number
}

function writeCookie(site: Site, { maxAgeSec, name, sameSite, value }: Cookie): string {
  const flags = `Path=/; HttpOnly; SameSite=${sameSite}; Max-Age=${maxAgeSec}`
  return `${toName(site, name)}=${value}; ${flags}${isSecure(site) ? '; Secure' : ''}`
}

function findCookie(site: Site, cookies: string | undefined, name: string): string | undefined {
  const wanted = toName(site, name)
  for (const cookie of (cookies ?? '').split(';')) {
    const [key, value] = cookie.trim().split('=')
    if (key === wanted && value !== undefined && value !== '') return value
  }
  return undefined
}

function toName(site: Site, name: string): string {
  return `${isSecure(site) ? '__Host-' : ''}sg_${name}`
}

function isSecure({ login }: Site): boolean {
  return login.issuer.startsWith('https:')
}
