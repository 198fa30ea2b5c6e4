/**
 * Names of the secrets of one import. Each credential has a name of its own: two schemes never share a secret, however
 * alike they are called, since the value of one would be sent to the service of the other. A credential is a part of a
 * scheme (or a parameter) of the service at one host; a name stays with the credential that skills of this prefix have
 * under it.
 */
import { asciiName, lettersOf } from './distinct-name.ts'

export type Credential = {
  readonly kind: 'scheme' | 'parameter'
  readonly scheme: string
  /** What the name is made of, if not the scheme. */
  readonly label?: string
  /** Part of a scheme that needs several secrets, or a token. */
  readonly role?: 'TOKEN' | 'CLIENT_ID' | 'CLIENT_SECRET'
  /** Of the service that gets it. */
  readonly host: string
}

/** Digests of credentials by the names that stored skills have for them. */
export type SecretOwners = ReadonlyMap<string, string>

export type NamedSecret = { readonly name: string; readonly credential: string }

export type SecretNames = {
  /** 1 to 64 characters of A-Z 0-9 _, a letter first. The same credential always gets the same name. */
  nameOf(credential: Credential): NamedSecret
}

const SECRET_NAME_CHARS_MAX = 64
/** Characters of a digest at the end of a name that needs one: 50 bits. */
const END_CHARS = 10
const CREDENTIAL_CHARS = 20
const ROLES = [undefined, 'TOKEN', 'CLIENT_ID', 'CLIENT_SECRET'] as const

export function secretNames(of: {
  readonly api: string
  /** Names of all schemes of the document, so that a name depends on no selection. */
  readonly schemes: readonly string[]
  readonly owners: SecretOwners
  readonly hash: (text: string) => string
}): SecretNames {
  const { api, hash, owners, schemes } = of
  const contested = twiceIn(
    schemes.flatMap((scheme) => ROLES.map((role) => plainName(api, scheme, role))),
  )
  const byCredential = new Map([...owners].map(([name, credential]) => [credential, name]))
  const given = new Map<string, string>(owners)
  return {
    nameOf: ({ host, kind, label, role, scheme }) => {
      const digest = lettersOf(hash(JSON.stringify([host, kind, scheme, role ?? ''])))
      const credential = digest.slice(0, CREDENTIAL_CHARS)
      const known = byCredential.get(credential)
      if (known !== undefined) return { name: known, credential }
      const plain = plainName(api, label ?? scheme, role)
      const isFree = plain.length <= SECRET_NAME_CHARS_MAX && !contested.has(plain)
      const name =
        isFree && !given.has(plain) ? plain : freeEnding(plain, digest.toUpperCase(), given)
      given.set(name, credential)
      byCredential.set(credential, name)
      return { name, credential }
    },
  }
}

/** Ends in a part of the digest; in another one if that is taken, and at last in a number. */
function freeEnding(plain: string, digest: string, given: ReadonlyMap<string, string>): string {
  const head = plain.slice(0, SECRET_NAME_CHARS_MAX - END_CHARS - 1).replace(/_+$/, '')
  let name = `${head}_${digest.slice(0, END_CHARS)}`
  for (let count = 0; given.has(name) && count <= given.size; count += 1) {
    name = `${head}_${String(count).padStart(END_CHARS, '0')}`
  }
  return name
}

function plainName(api: string, scheme: string, role: Credential['role']): string {
  const end = role === undefined ? '' : `_${role}`
  const plain = `${api}_${asciiName(scheme)}${end}`
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
  return /^[A-Z]/.test(plain) ? plain : `API_${plain}`
}

function twiceIn(names: readonly string[]): ReadonlySet<string> {
  const once = new Set<string>()
  const twice = new Set<string>()
  for (const name of names) (once.has(name) ? twice : once).add(name)
  return twice
}
