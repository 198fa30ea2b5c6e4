/**
 * The stored secrets that a call uses. The order for each name: the user's for this skill, the user's for
 * all skills, the gateway's for this skill, the gateway's for all skills.
 */
import type { FoundSecret, SecretFrom } from './secret.ts'
import type { SecretPlace } from './secret-place.ts'

type Pickable = SecretPlace & Pick<FoundSecret, 'isShared'>

/**
 * One secret per name, in the order of `names`. A secret that cannot be opened, or must not be sent, is
 * not replaced by one that comes later: the upstream would see another identity than the one that was set.
 */
export function pickSecrets<T extends Pickable>(
  stored: readonly T[],
  { skillId, names }: { readonly skillId: string; readonly names: readonly string[] },
): { readonly picked: readonly T[]; readonly missing: readonly string[] } {
  const distinct = [...new Set(names)]
  const find = (name: string, from: SecretFrom) =>
    stored.find((one) => one.name === name && isOf(one, skillId) && fromOf(one) === from)
  const picked = distinct.flatMap((name) => {
    const found = ORDER.map((from) => find(name, from))
    return found.find((one) => one !== undefined) ?? []
  })
  const found = new Set(picked.map(({ name }) => name))
  return { picked, missing: distinct.filter((name) => !found.has(name)) }
}

const ORDER: readonly SecretFrom[] = ['user-skill', 'user', 'shared-skill', 'shared']

export function fromOf({ isShared, skillId }: Pickable): SecretFrom {
  if (isShared === true) return skillId === undefined ? 'shared' : 'shared-skill'
  return skillId === undefined ? 'user' : 'user-skill'
}

function isOf(secret: Pickable, skillId: string): boolean {
  return secret.skillId === undefined || secret.skillId === skillId
}
