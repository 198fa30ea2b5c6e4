/** The port for guides, which explain tools to agents. */
import type { GuideContent, GuideRecord } from '../guides/guide.ts'

export type Guides = {
  /** Strongly consistent. */
  get(guideId: string): Promise<GuideRecord | undefined>
  /** One page in the order of ids; strongly consistent. `next` goes into `after`. */
  list(of: { readonly after?: string | undefined; readonly limit: number }): Promise<{
    readonly records: readonly GuideRecord[]
    readonly next: string | undefined
  }>
  /**
   * Writes guide, version and files at once if the stored version is `ifVersion` (0 for none) and
   * the guide's own version was never written; otherwise returns false. Removes the oldest version.
   */
  put(guide: GuideContent, ifVersion: number): Promise<boolean>
  /** Removes the guide if it has this version. Its versions stay. Returns false otherwise. */
  remove(guideId: string, ifVersion: number): Promise<boolean>
  /** Newest first, of deleted guides too; strongly consistent. `next` goes into `before`. */
  versions(of: {
    readonly guideId: string
    readonly before?: number | undefined
    readonly limit: number
  }): Promise<{ readonly versions: readonly GuideRecord[]; readonly next: number | undefined }>
  /** Strongly consistent. */
  version(of: {
    readonly guideId: string
    readonly version: number
  }): Promise<GuideRecord | undefined>
  /**
   * Bytes among those of all files of one version. Throws `Fault('internal')` if the version is not
   * stored.
   */
  read(of: {
    readonly guideId: string
    readonly version: number
    readonly from: number
    readonly bytes: number
  }): Promise<Uint8Array>
}
