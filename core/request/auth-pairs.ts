/** Makes headers and query pairs of `config.auth`. Secrets are filled in later. */

import { encodeBase64Text } from '../json/base64.ts'
import type { SkillAuth } from '../skills/skill.ts'
import type { FilledText } from './fill-template.ts'

type Pairs = readonly (readonly [name: string, value: FilledText])[]

const NO_PAIRS = { headers: [], query: [] } as const

export function makeAuthPairs(auth: SkillAuth | undefined): {
  readonly headers: Pairs
  readonly query: Pairs
} {
  if (auth === undefined) return NO_PAIRS
  const { secret } = auth
  switch (auth.type) {
    case 'bearer':
    case 'oauth2':
      return { ...NO_PAIRS, headers: [['authorization', ['Bearer ', { secret }]]] }
    case 'basic':
      return { ...NO_PAIRS, headers: [['authorization', toBasicValue(auth)]] }
    case 'header':
      return { ...NO_PAIRS, headers: [[auth.name, [{ secret }]]] }
    case 'cookie':
      return { ...NO_PAIRS, headers: [['cookie', [`${auth.name}=`, { secret }]]] }
    case 'query':
      return { ...NO_PAIRS, query: [[auth.name, [{ secret }]]] }
    default:
      return auth satisfies never
  }
}

/** Basic authentication (RFC 7617). User and password are encoded together with the secret. */
function toBasicValue({ secret, username }: SkillAuth & { type: 'basic' }): FilledText {
  const encode = (value: string) =>
    encodeBase64Text(username === undefined ? value : `${username}:${value}`)
  return ['Basic ', { secret, encode }]
}

/** Returns texts to mask in addition to the secrets: `user:password` of basic authentication. */
export function findAuthEchoes(
  auth: SkillAuth | undefined,
  secrets: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  if (auth?.type !== 'basic' || auth.username === undefined) return new Map()
  const value = secrets.get(auth.secret)
  return value === undefined ? new Map() : new Map([[auth.secret, `${auth.username}:${value}`]])
}
