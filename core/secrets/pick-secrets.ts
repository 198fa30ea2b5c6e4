/**
 * The stored secrets that a call uses: the skill's own take precedence over the user's global ones.
 */
import type { SecretPlace } from './secret-place.ts'

/**
 * One secret per name, in the order of `names`. A secret of the skill that cannot be opened is not
 * replaced by the global one: the upstream would see another identity than the one that was set.
 */
export function pickSecrets<T extends SecretPlace>(
  stored: readonly T[],
  { skillId, names }: { readonly skillId: string; readonly names: readonly string[] },
): { readonly picked: readonly T[]; readonly missing: readonly string[] } {
  const distinct = [...new Set(names)]
  const find = (name: string, owner: string | undefined) =>
    stored.find((one) => one.name === name && one.skillId === owner)
  const picked = distinct.flatMap((name) => find(name, skillId) ?? find(name, undefined) ?? [])
  const found = new Set(picked.map(({ name }) => name))
  return { picked, missing: distinct.filter((name) => !found.has(name)) }
}
