/**
 * Signs in by the browser of this machine: authorization code with PKCE (RFC 7636, S256). The
 * browser is started without a shell, and its address is printed too, for the case that none opens.
 */
import { createHash, randomBytes } from 'node:crypto'
import type { StoredLogin } from '../../adapters/profiles/config-file.ts'
import type { Invocation } from '../command/command.ts'
import { CommandFault, EXIT } from '../terminal/exit-code.ts'
import { printNote, type Shell } from '../terminal/shell.ts'
import { listenForAnswer } from './await-answer.ts'
import { type SignIn, takeTokens, toRefusal } from './take-tokens.ts'

/** Bytes of the state and of the verifier, whose text then has 43 characters. */
const RANDOM_BYTES = 32

/** `port` 0 is any free port. */
export async function signInByBrowser(
  call: Invocation,
  signIn: SignIn,
  { authorizationUrl, port }: { readonly authorizationUrl: URL; readonly port: number },
): Promise<StoredLogin> {
  const { shell } = call
  const state = randomBytes(RANDOM_BYTES).toString('base64url')
  const verifier = randomBytes(RANDOM_BYTES).toString('base64url')
  const listener = await listenForAnswer({ state, port, signal: shell.signal })
  const { redirectUri } = listener
  try {
    const url = toAuthorizeUrl(authorizationUrl, signIn, { redirectUri, state, verifier })
    printNote(shell, `Your browser signs you in at ${signIn.client.issuer}.`)
    printNote(shell, `If none opens, open this address on this machine:\n\n  ${url.href}\n`)
    openBrowser(shell, url)
    const code = readCode(signIn, await listener.answer)
    return await takeTokens(call, signIn, {
      grant_type: 'authorization_code',
      code,
      redirect_uri: redirectUri,
      code_verifier: verifier,
    })
  } finally {
    listener.close()
  }
}

/** Whether this machine probably has a screen with a browser. */
export function hasBrowser({ env, platform }: Shell): boolean {
  if ((env['SSH_CONNECTION'] ?? '') !== '') return false
  if (platform === 'darwin' || platform === 'win32') return true
  return ['DISPLAY', 'WAYLAND_DISPLAY'].some((name) => (env[name] ?? '') !== '')
}

function toAuthorizeUrl(
  authorizationUrl: URL,
  { client }: SignIn,
  own: { readonly redirectUri: string; readonly state: string; readonly verifier: string },
): URL {
  const { clientId, resource, scopes } = client
  const url = new URL(authorizationUrl)
  const parameters = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: own.redirectUri,
    scope: scopes.join(' '),
    state: own.state,
    code_challenge: createHash('sha256').update(own.verifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...(resource === undefined ? {} : { resource }),
    // OpenID Connect Core, section 11: without consent there is no offline access.
    ...(scopes.includes('offline_access') ? { prompt: 'consent' } : {}),
  }
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return url
}

function openBrowser({ platform, programs }: Shell, url: URL): void {
  const [file, ...args] = OPENERS[platform] ?? ['xdg-open']
  // Without a browser the printed address is left, so a failure needs no other message.
  programs.launch(file, [...args, url.href])
}

/** Programs that open an address, none of which is a shell. */
const OPENERS: { readonly [platform: string]: readonly [string, ...string[]] } = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}

/** The answer has the right state; another issuer's answer must not be taken (RFC 9207). */
function readCode({ client, endpoints }: SignIn, answer: URLSearchParams): string {
  const issuer = answer.get('iss')
  const isOther = issuer === null ? endpoints.namesIssuer : issuer !== client.issuer
  if (isOther) {
    throw new CommandFault('The answer in the browser came from another issuer.', {
      exitCode: EXIT.unauthenticated,
      remedy: 'Close that page, and run skillgate login again.',
    })
  }
  const code = answer.get('code')
  if (code !== null && answer.get('error') === null) return code
  throw toRefusal(client.issuer, Object.fromEntries(answer))
}
