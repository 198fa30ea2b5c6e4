/**
 * Names the secrets of one import. Each credential has a name of its own. Two schemes with similar
 * names never share a secret, because one service would receive the other's value. A credential is
 * a part of a scheme, or a parameter, of the service at one host. If stored skills of this prefix
 * use a name, it stays with its credential.
 */
import { toAsciiName, toLetters } from './distinct-name.ts'

export type Credential = {
  readonly kind: 'scheme' | 'parameter'
  readonly scheme: string
  /** The source of the name, if it is not the scheme. */
  readonly label?: string
  /** The part of a scheme that needs several secrets, or a token. */
  readonly role?: 'TOKEN' | 'CLIENT_ID' | 'CLIENT_SECRET'
  /** The host of the service that receives the credential. */
  readonly host: string
}

/** Digests of credentials by the names of their secrets in stored skills. */
export type SecretOwners = ReadonlyMap<string, string>

export type NamedSecret = { readonly name: string; readonly credential: string }

export type SecretNames = {
  /** Returns a name of 1 to 64 characters of A-Z 0-9 _, a letter first; always the same one. */
  nameOf(credential: Credential): NamedSecret
}

const SECRET_NAME_CHARS_MAX = 64
/** Characters of the digest at the end of a name: 50 bits. */
const END_CHARS = 10
const CREDENTIAL_CHARS = 20
const ROLES = [undefined, 'TOKEN', 'CLIENT_ID', 'CLIENT_SECRET'] as const

/** Makes the names of one import. */
export function makeSecretNames(of: {
  readonly api: string
  /** Names of all schemes of the document, so that a name depends on no selection. */
  readonly schemes: readonly string[]
  readonly owners: SecretOwners
  readonly hash: (text: string) => string
}): SecretNames {
  const { api, hash, owners, schemes } = of
  const contested = findRepeated(
    schemes.flatMap((scheme) => ROLES.map((role) => makePlainName(api, scheme, role))),
  )
  const byCredential = new Map([...owners].map(([name, credential]) => [credential, name]))
  const given = new Map<string, string>(owners)
  return {
    nameOf: ({ host, kind, label, role, scheme }) => {
      const digest = toLetters(hash(JSON.stringify([host, kind, scheme, role ?? ''])))
      const credential = digest.slice(0, CREDENTIAL_CHARS)
      const known = byCredential.get(credential)
      if (known !== undefined) return { name: known, credential }
      const plain = makePlainName(api, label ?? scheme, role)
      const isFree = plain.length <= SECRET_NAME_CHARS_MAX && !contested.has(plain)
      const name =
        isFree && !given.has(plain) ? plain : addFreeEnding(plain, digest.toUpperCase(), given)
      given.set(name, credential)
      byCredential.set(credential, name)
      return { name, credential }
    },
  }
}

/** Ends the name in a part of the digest, or in a number if that name is taken. */
function addFreeEnding(plain: string, digest: string, given: ReadonlyMap<string, string>): string {
  const head = plain.slice(0, SECRET_NAME_CHARS_MAX - END_CHARS - 1).replace(/_+$/, '')
  let name = `${head}_${digest.slice(0, END_CHARS)}`
  for (let count = 0; given.has(name) && count <= given.size; count += 1) {
    name = `${head}_${String(count).padStart(END_CHARS, '0')}`
  }
  return name
}

function makePlainName(api: string, scheme: string, role: Credential['role']): string {
  const end = role === undefined ? '' : `_${role}`
  const plain = `${api}_${toAsciiName(scheme)}${end}`
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
  return /^[A-Z]/.test(plain) ? plain : `API_${plain}`
}

function findRepeated(names: readonly string[]): ReadonlySet<string> {
  const once = new Set<string>()
  const twice = new Set<string>()
  for (const name of names) (once.has(name) ? twice : once).add(name)
  return twice
}
