/** Turns `config.auth` into headers and query pairs; the secrets are filled in later. */

import { base64 } from '../json/base64.ts'
import type { SkillAuth } from '../skills/skill.ts'
import type { FilledText } from './fill-template.ts'

type Pairs = readonly (readonly [name: string, value: FilledText])[]

const NONE = { headers: [], query: [] } as const

export function authPairs(auth: SkillAuth | undefined): {
  readonly headers: Pairs
  readonly query: Pairs
} {
  if (auth === undefined) return NONE
  const { secret } = auth
  switch (auth.type) {
    case 'bearer':
      return { ...NONE, headers: [['authorization', ['Bearer ', { secret }]]] }
    case 'basic':
      return { ...NONE, headers: [['authorization', basicOf(auth)]] }
    case 'header':
      return { ...NONE, headers: [[auth.name, [{ secret }]]] }
    case 'cookie':
      return { ...NONE, headers: [['cookie', [`${auth.name}=`, { secret }]]] }
    case 'query':
      return { ...NONE, query: [[auth.name, [{ secret }]]] }
    default:
      return auth satisfies never
  }
}

/** RFC 7617. User and password are encoded as one text, once the secret is filled in. */
function basicOf({ secret, username }: SkillAuth & { type: 'basic' }): FilledText {
  const encode = (value: string) => base64(username === undefined ? value : `${username}:${value}`)
  return ['Basic ', { secret, encode }]
}

/** Texts to mask in addition to the secrets: the encoded forms that basic auth sends. */
export function authEchoes(
  auth: SkillAuth | undefined,
  secrets: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  if (auth?.type !== 'basic' || auth.username === undefined) return new Map()
  const value = secrets.get(auth.secret)
  return value === undefined ? new Map() : new Map([[auth.secret, `${auth.username}:${value}`]])
}
