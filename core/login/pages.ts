/**
 * The pages of a login as HTML, without a script. Everything that a client or an operator wrote is
 * escaped. The policy of the pages allows their style alone; it has no `form-action`, because
 * Chromium applies that to every redirect after the form, and the client's own would be blocked.
 */
import type { LoginClient } from './client-id.ts'
import { PAGE_TOOLS_MAX } from './limits.ts'
import { AUTHORIZE_PATH } from './paths.ts'
import { isLoopback, toShownHost } from './redirects.ts'

export const PAGE_STYLE = `:root{color-scheme:light dark}
body{font:16px/1.5 system-ui,sans-serif;max-width:34rem;margin:0 auto;padding:1.5rem 1rem;overflow-wrap:anywhere}
h1{font-size:1.4rem;line-height:1.3}
.host{font-size:1.2rem;font-weight:600}
.wrong,.care{border-left:4px solid #b3541e;padding:.25rem .75rem}
label{display:block;margin-top:1rem}
input{font:inherit;box-sizing:border-box;width:100%;padding:.5rem}
button{font:inherit;padding:.5rem 1.25rem;margin:1rem .5rem 0 0}
ul{padding-left:1.25rem}
small{opacity:.8}`

/** Headers of each page. `styleHash` is the sha256 of {@link PAGE_STYLE} in base64. */
export function makePageHeaders(styleHash: string): Readonly<Record<string, string>> {
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; frame-ancestors 'none'`,
    'x-frame-options': 'DENY',
    'referrer-policy': 'same-origin',
  }
}

/** Hidden fields of a form by name. */
export type HiddenFields = Readonly<Record<string, string>>

type Asked = {
  readonly client: Pick<LoginClient, 'name' | 'documentHost'>
  readonly redirectUri: string
  /** Host of this gateway, which a password manager remembers the key for. */
  readonly gatewayHost: string
  readonly hidden: HiddenFields
}

/** The page that takes an API key. */
export function writeKeyPage(asked: Asked & { readonly wrongKey?: string | undefined }): string {
  const wrong =
    asked.wrongKey === undefined
      ? ''
      : `<p class="wrong" role="alert">${escapeHtml(asked.wrongKey)}</p>`
  return writePage(
    'Log in',
    `<h1>Log in to Skillgate</h1>
${describeClient(asked)}
${wrong}
<form method="post" action="${AUTHORIZE_PATH}">
${writeHidden(asked.hidden)}
<label>Gateway<input name="username" autocomplete="username" readonly value="${escapeHtml(asked.gatewayHost)}"></label>
<label>Your API key<input name="key" type="password" autocomplete="current-password" required autofocus></label>
<p><small>It begins with sgk_. Enter it only if the address above is ${escapeHtml(asked.gatewayHost)}.</small></p>
<button type="submit">Continue</button>
</form>`,
  )
}

export type ShownTool = { readonly name: string; readonly credits: number }

export type Consent = Asked & {
  readonly username: string
  readonly keyPrefix: string
  readonly credits: number
  /** Sentences about budgets and limits of the key. */
  readonly limits: readonly string[]
  readonly tools: readonly ShownTool[]
}

/** The page that asks for consent. */
export function writeConsentPage(consent: Consent): string {
  const { credits, keyPrefix, limits, tools, username } = consent
  const shown = tools.slice(0, PAGE_TOOLS_MAX)
  const more = tools.length - shown.length
  const items = shown.map(
    ({ credits: price, name }) => `<li>${escapeHtml(name)}: ${toPrice(price)}</li>`,
  )
  return writePage(
    'Allow access',
    `<h1>Allow ${escapeHtml(consent.client.name)} to use your tools?</h1>
${describeClient(consent)}
<p>You are <b>${escapeHtml(username)}</b>, with the key ${escapeHtml(keyPrefix)}…, and have ${credits} credits.</p>
${limits.map((limit) => `<p>${escapeHtml(limit)}</p>`).join('\n')}
<p>It may list and call these ${tools.length} tools, and those that are added later. Each call is charged to you:</p>
<ul>${items.join('')}${more > 0 ? `<li>and ${more} more</li>` : ''}</ul>
<p><small>The login ends when your key is revoked, or after 30 days without use.</small></p>
<form method="post" action="${AUTHORIZE_PATH}">
${writeHidden(consent.hidden)}
<button type="submit" name="decision" value="allow">Allow</button>
<button type="submit" name="decision" value="deny">Cancel</button>
</form>`,
  )
}

/** A page without a form. */
export function writeNotice(title: string, sentences: readonly string[]): string {
  const paragraphs = sentences.map((sentence) => `<p>${escapeHtml(sentence)}</p>`).join('\n')
  return writePage(title, `<h1>${escapeHtml(title)}</h1>\n${paragraphs}`)
}

/** Text of a page as HTML, in an element or in an attribute with double quotes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}

function describeClient({ client, redirectUri }: Asked): string {
  const vouched =
    client.documentHost === undefined
      ? ''
      : ` Its description is at <b>${escapeHtml(client.documentHost)}</b>.`
  const care = isLoopback(redirectUri)
    ? '<p class="care">This is a program on this computer. Go on only if you have just started it.</p>'
    : ''
  return `<p>A program that calls itself <b>${escapeHtml(client.name)}</b> wants to use your tools.${vouched} You return to:</p>
<p class="host">${escapeHtml(toShownHost(redirectUri))}</p>
${care}`
}

function writeHidden(hidden: HiddenFields): string {
  return Object.entries(hidden)
    .map(([name, value]) => `<input type="hidden" name="${name}" value="${escapeHtml(value)}">`)
    .join('\n')
}

function toPrice(credits: number): string {
  if (credits === 0) return 'free'
  return credits === 1 ? '1 credit' : `${credits} credits`
}

function writePage(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escapeHtml(title)} · Skillgate</title>
<style>${PAGE_STYLE}</style>
</head>
<body>
${body}
</body>
</html>
`
}
