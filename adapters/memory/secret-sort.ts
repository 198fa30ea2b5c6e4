/** The sort key of a secret in a table of this store. */
import { GLOBAL } from '../../core/secrets/secret.ts'
import type { SecretPlace } from '../../core/secrets/secret-place.ts'

/** Neither part has a space. */
export function sortOf({ name, skillId }: SecretPlace): string {
  return `${skillId ?? GLOBAL} ${name}`
}
