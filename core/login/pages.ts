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
pre{white-space:pre-wrap}
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
  readonly client: Pick<LoginClient, 'name' | 'documentHost' | 'isConsole'>
  readonly redirectUri: string
  /** Host of this gateway, which a password manager remembers the key for. */
  readonly gatewayHost: string
  readonly hidden: HiddenFields
}

type KeyPage = Asked & {
  readonly wrongKey?: string | undefined
  /** Whom the browser's invitation is for. */
  readonly invited?: string | undefined
  /** False where nobody can recognise the page's address: then it takes invitations only. */
  readonly takesKeys: boolean
}

/** The page that takes an API key or an invitation. */
export function writeKeyPage(asked: KeyPage): string {
  const { invited, takesKeys, wrongKey } = asked
  const wrong =
    wrongKey === undefined ? '' : `<p class="wrong" role="alert">${escapeHtml(wrongKey)}</p>`
  const other = invited === undefined ? '' : '<p>Or log in as somebody else:</p>'
  return writePage(
    'Log in',
    `<h1>Log in to Skillgate</h1>
${describeClient(asked)}
${wrong}
${invited === undefined ? '' : writeInvited(asked, invited)}
${other}
<form method="post" action="${AUTHORIZE_PATH}">
${writeHidden(asked.hidden)}
${takesKeys ? writeKeyField(asked) : INVITE_FIELD}
<button type="submit">Continue</button>
</form>`,
  )
}

function writeInvited({ hidden }: KeyPage, invited: string): string {
  return `<form method="post" action="${AUTHORIZE_PATH}">
${writeHidden(hidden)}
<p>You were invited as <b>${escapeHtml(invited)}</b>.</p>
<button type="submit" name="use" value="invite" autofocus>Continue as ${escapeHtml(invited)}</button>
</form>`
}

function writeKeyField({ gatewayHost, invited }: KeyPage): string {
  const host = escapeHtml(gatewayHost)
  return `<label>Gateway<input name="username" autocomplete="username" readonly value="${host}"></label>
<label>Your API key or invitation<input name="key" type="password" autocomplete="current-password" required${invited === undefined ? ' autofocus' : ''}></label>
<p><small>A key begins with sgk_, an invitation is a link that you were given. Enter it only if the address above is ${host}.</small></p>`
}

const INVITE_FIELD = `<label>The link of your invitation<input name="key" type="text" autocomplete="off" required></label>
<p><small>Enter no API key here: this gateway has no address of its own that you could recognise.</small></p>`

export type ShownTool = { readonly name: string; readonly credits: number }

export type Consent = Asked & {
  readonly username: string
  /** The client may manage the account, too. */
  readonly account?: boolean
  /** The start of the key; undefined for an invitation, whose key nobody sees. */
  readonly keyPrefix: string | undefined
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
  const by = keyPrefix === undefined ? 'by invitation' : `with the key ${escapeHtml(keyPrefix)}…`
  const ends = keyPrefix === undefined ? 'an administrator ends it' : 'your key is revoked'
  return writePage(
    'Allow access',
    `<h1>Allow ${escapeHtml(consent.client.name)} to use your tools?</h1>
${describeClient(consent)}
<p>You are <b>${escapeHtml(username)}</b>, ${by}, and have ${credits} credits.</p>
${limits.map((limit) => `<p>${escapeHtml(limit)}</p>`).join('\n')}
<p>It may list and call these ${tools.length} tools, and those that are added later. Each call is charged to you:</p>
<ul>${items.join('')}${more > 0 ? `<li>and ${more} more</li>` : ''}</ul>
${consent.account === true ? writeAccount(consent) : ''}
<p><small>The login ends when ${ends}, or after 30 days without use.</small></p>
<form method="post" action="${AUTHORIZE_PATH}">
${writeHidden(consent.hidden)}
<button type="submit" name="decision" value="allow">Allow</button>
<button type="submit" name="decision" value="deny">Cancel</button>
</form>`,
  )
}

/** What the scope `account` allows, in plain words. */
function writeAccount({ keyPrefix }: Consent): string {
  const invited =
    keyPrefix === undefined
      ? '<p class="care">This uses up your invitation. Before you sign out, make a key on the page Keys: you need one for your programs, and to come back.</p>'
      : ''
  return `<p>It may also manage your account, as far as ${keyPrefix === undefined ? 'your invitation' : 'your key'} may:</p>
<ul><li>see your balance, your calls and what each cost</li><li>make, change and revoke API keys</li><li>set and delete secrets of tools; it cannot read them</li><li>see and end logins of your programs</li></ul>
${invited}`
}

export type Invitation = {
  readonly username: string
  /** The URL that clients connect to. */
  readonly mcpUrl: string
  /** A date, UTC. */
  readonly lastDay: string
}

/** The page behind an invitation's link: how to go on. It uses up nothing. */
export function writeInvitePage({ lastDay, mcpUrl, username }: Invitation): string {
  const url = escapeHtml(mcpUrl)
  return writePage(
    'Your invitation',
    `<h1>You are invited to Skillgate as ${escapeHtml(username)}</h1>
<p>Add this address to your program within an hour. A page then opens in this browser, where you allow the program to use your tools.</p>
<p class="host">${url}</p>
<p>Claude (web, desktop, mobile): Settings, Connectors, Add custom connector, then enter the address.</p>
<p>Claude Code: enter these lines, then <code>/mcp</code> to log in.</p>
<pre>claude mcp add --transport http skillgate ${url}
claude</pre>
<p>Codex: enter this line. It logs in by itself.</p>
<pre>codex mcp add skillgate --url ${url}</pre>
<p><small>The invitation logs in one program, once, until ${escapeHtml(lastDay)} (UTC). If the page asks for your invitation, open this link again in the browser that shows the page, or enter the link there. Keep the link to yourself: it is as good as a key.</small></p>`,
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
  if (client.isConsole === true) {
    return `<p>These are the pages of this gateway on which you manage your account. You return to:</p>
<p class="host">${escapeHtml(toShownHost(redirectUri))}</p>`
  }
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

/** The hidden fields of a form. */
export function writeHidden(hidden: HiddenFields): string {
  return Object.entries(hidden)
    .map(([name, value]) => `<input type="hidden" name="${name}" value="${escapeHtml(value)}">`)
    .join('\n')
}

function toPrice(credits: number): string {
  if (credits === 0) return 'free'
  return credits === 1 ? '1 credit' : `${credits} credits`
}

/** A whole page; `body` is HTML. */
export function writePage(title: string, body: string): string {
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
