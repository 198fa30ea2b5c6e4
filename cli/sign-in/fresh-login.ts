/**
 * Renews a sign-in shortly before its access token expires, and forgets it at its issuer. The new
 * tokens are kept where the old ones were.
 */
import { dirname, join } from 'node:path'
import {
  findConfigPath,
  type StoredLogin,
  writeConfig,
} from '../../adapters/profiles/config-file.ts'
import type { Invocation } from '../command/command.ts'
import { putInKeyring } from '../gateway/keyring.ts'
import { readConfigFile, readKeys } from '../gateway/target.ts'
import { CommandFault, EXIT } from '../terminal/exit-code.ts'
import { printNote, type Shell } from '../terminal/shell.ts'
import { withLock } from './login-lock.ts'
import { postForm } from './request-json.ts'
import { readSafeUrl } from './safe-url.ts'
import { takeTokens } from './take-tokens.ts'

/** A token is renewed this long before it expires, so that it still works when it arrives. */
export const RENEW_BEFORE_MS = 30_000

/**
 * Returns a sign-in whose access token works now. Throws a CommandFault if the issuer has ended it,
 * or if it has expired and cannot be renewed.
 */
export async function keepFresh(
  call: Invocation,
  profile: string,
  login: StoredLogin,
): Promise<StoredLogin> {
  const { shell } = call
  if (isFresh(shell, login)) return login
  const lock = join(dirname(findConfigPath(shell)), `${profile}.lock`)
  return withLock(lock, shell.signal, async () => {
    // Another command may have renewed it, or the person signed in again.
    const kept = (await readStored(shell, profile)) ?? login
    if (isFresh(shell, kept)) return kept
    const renewed = await renew(call, kept)
    await store(shell, profile, renewed)
    return renewed
  })
}

/** Ends the sign-in at its issuer. Trouble there is a note, since the tokens are forgotten here. */
export async function revokeLogin(call: Invocation, login: StoredLogin): Promise<void> {
  const { accessToken, clientId, refreshToken, revocationUrl } = login
  if (revocationUrl === undefined) return
  try {
    const url = readSafeUrl(revocationUrl, 'The revocation_endpoint')
    const hint = refreshToken === undefined ? 'access_token' : 'refresh_token'
    const { status } = await postForm(call, url, {
      token: refreshToken ?? accessToken,
      token_type_hint: hint,
      client_id: clientId,
    })
    if (status < 400) return
  } catch (cause) {
    if (!(cause instanceof CommandFault) || call.shell.signal.aborted) throw cause
  }
  printNote(call.shell, `${login.issuer} could not be told; end the sign-in there, too.`)
}

function isFresh(shell: Shell, { expiresAtMs }: StoredLogin): boolean {
  return expiresAtMs - shell.nowMs() > RENEW_BEFORE_MS
}

async function renew(call: Invocation, login: StoredLogin): Promise<StoredLogin> {
  const { clientId, issuer, refreshToken, resource, revocationUrl } = login
  if (refreshToken === undefined) {
    if (login.expiresAtMs > call.shell.nowMs()) return login
    throw new CommandFault('The sign-in has expired.', {
      exitCode: EXIT.unauthenticated,
      remedy: 'Sign in again with skillgate login.',
    })
  }
  const read = (url: string) => readSafeUrl(url, 'An address in the profile')
  const signIn = {
    client: { issuer, clientId, scopes: [], resource },
    endpoints: {
      authorizationUrl: undefined,
      deviceUrl: undefined,
      tokenUrl: read(login.tokenUrl),
      revocationUrl: revocationUrl === undefined ? undefined : read(revocationUrl),
      namesIssuer: false,
    },
  }
  const form = { grant_type: 'refresh_token', refresh_token: refreshToken }
  // An issuer that does not rotate refresh tokens sends no new one.
  return { refreshToken, ...(await takeTokens(call, signIn, form)) }
}

async function readStored(shell: Shell, name: string): Promise<StoredLogin | undefined> {
  const profile = readConfigFile(shell).profiles[name]
  return profile === undefined ? undefined : (await readKeys(shell, name, profile)).login
}

/** Keeps the new tokens. Writes nothing if the profile was removed meanwhile. */
async function store(shell: Shell, name: string, login: StoredLogin): Promise<void> {
  const config = readConfigFile(shell)
  const profile = config.profiles[name]
  if (profile === undefined) return
  const { credential } = profile
  if (credential.store === 'file') {
    const next = { ...profile, credential: { ...credential, login } }
    writeConfig(findConfigPath(shell), {
      ...config,
      profiles: { ...config.profiles, [name]: next },
    })
    return
  }
  const keys = await readKeys(shell, name, profile)
  if (await putInKeyring(shell, name, { ...keys, login })) return
  printNote(shell, 'The keyring did not keep the new sign-in: soon you must sign in again.')
}
