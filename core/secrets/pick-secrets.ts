/**
 * Picks the stored secrets that a call uses. For each name the order is: the user's for this skill,
 * the user's for all skills, the gateway's for this skill, the gateway's for all skills.
 */
import type { FoundSecret, SecretFrom, SecretPlace } from './secret.ts'

type Pickable = SecretPlace & Pick<FoundSecret, 'isShared'>

/**
 * Returns one secret per name, in the order of `names`. If the first secret of a name cannot be
 * opened or must not be sent, no later one replaces it: the upstream would see another identity
 * than the one that was set.
 */
export function pickSecrets<T extends Pickable>(
  stored: readonly T[],
  { skillId, names }: { readonly skillId: string; readonly names: readonly string[] },
): { readonly picked: readonly T[]; readonly missing: readonly string[] } {
  const distinct = [...new Set(names)]
  const find = (name: string, from: SecretFrom) =>
    stored.find(
      (one) => one.name === name && isForSkill(one, skillId) && findSecretFrom(one) === from,
    )
  const picked = distinct.flatMap((name) => {
    const found = ORDER.map((from) => find(name, from))
    return found.find((one) => one !== undefined) ?? []
  })
  const found = new Set(picked.map(({ name }) => name))
  return { picked, missing: distinct.filter((name) => !found.has(name)) }
}

const ORDER: readonly SecretFrom[] = ['user-skill', 'user', 'shared-skill', 'shared']

/** Whose secret it is, and for which skills. */
export function findSecretFrom({ isShared, skillId }: Pickable): SecretFrom {
  if (isShared === true) return skillId === undefined ? 'shared' : 'shared-skill'
  return skillId === undefined ? 'user' : 'user-skill'
}

function isForSkill(secret: Pickable, skillId: string): boolean {
  return secret.skillId === undefined || secret.skillId === skillId
}
