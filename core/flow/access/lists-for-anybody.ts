/** Tells who may see the list of tools without a credential. Bound by docs/service.md, Catalog. */
import type { Settings } from '../../settings.ts'

export type PublicListSettings = Pick<Settings, 'anonymousList' | 'issuers' | 'login'>

/** True if tools are listed without a credential, and the public catalog is there. */
export function listsForAnybody({ anonymousList, issuers, login }: PublicListSettings): boolean {
  return anonymousList || (login === undefined && issuers.length === 0)
}
