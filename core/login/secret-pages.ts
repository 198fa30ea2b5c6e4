/**
 * The page on which a user sets missing secrets, as HTML without a script. It shows the tool, the
 * hosts that get the secrets, and whose they become, before it takes any. Everything that others
 * wrote is escaped.
 */
import type { SecretLink } from '../secrets/secret-link.ts'
import { escapeHtml, type HiddenFields, writeHidden, writePage } from './pages.ts'

export type SecretsPage = {
  readonly link: Pick<SecretLink, 'logsIn' | 'names' | 'toolName' | 'username'>
  /** The only origins to which the secrets may be sent. */
  readonly origins: readonly string[]
  /** The host of this gateway, for which a password manager remembers the key. */
  readonly gatewayHost: string
  /** The path of the page. */
  readonly action: string
  readonly hidden: HiddenFields
  readonly wrong?: string | undefined
}

/** The name of the field with the value of the secret at this index. */
export function toValueField(index: number): string {
  return `value_${index}`
}

/** The page that takes the values and the key. */
export function writeSecretsPage(page: SecretsPage): string {
  const { gatewayHost, link, origins, wrong } = page
  const host = escapeHtml(gatewayHost)
  const tool = escapeHtml(link.toolName)
  const shown = origins.map((origin) => `<p class="host">${escapeHtml(toShownOrigin(origin))}</p>`)
  return writePage(
    'Set secrets',
    `<h1>${link.names.length === 0 ? 'Log in' : 'Set secrets'} for the tool ${tool}</h1>
<p>What you enter or allow belongs to the user <b>${escapeHtml(link.username)}</b> at ${host}, and is sent only to:</p>
${shown.join('\n')}
${link.logsIn === true ? LOGS_IN : ''}
<p class="care">Go on only if your own program has just asked for this.</p>
${wrong === undefined ? '' : `<p class="wrong" role="alert">${escapeHtml(wrong)}</p>`}
<form method="post" action="${escapeHtml(page.action)}">
${writeHidden(page.hidden)}
${link.names.map(writeValueField).join('\n')}
<label>Gateway<input name="username" autocomplete="username" readonly value="${host}"></label>
<label>Your API key, to prove that you are ${escapeHtml(link.username)}<input name="key" type="password" autocomplete="current-password" required></label>
<p><small>Your key begins with sgk_. Enter it only if the address above is ${host}. Nobody can read a secret here after it is set.</small></p>
<button type="submit">${link.logsIn === true ? 'Continue' : 'Save'}</button>
</form>`,
  )
}

const LOGS_IN =
  '<p>The next page is of the service itself, where you log in. This gateway keeps the tokens that it gives, and never sees your password there.</p>'

function writeValueField(name: string, index: number): string {
  return `<label>${escapeHtml(name)}<input name="${toValueField(index)}" type="password" autocomplete="off" required></label>`
}

/** The host; with its scheme if that is not https. */
function toShownOrigin(origin: string): string {
  const url = URL.parse(origin)
  return url === null || url.protocol !== 'https:' ? origin : url.host
}
