/**
 * Says what a problem document or a report of the admin API says, in the words of the terminal: the
 * detail without its words for REST, and the command that helps.
 */
import type { Json } from '../../core/json/json.ts'
import { readShownRemedy } from '../../core/remedies/read-remedy.ts'
import { writeRemedy } from '../../core/remedies/remedy-words.ts'

export type Explained = { readonly detail: string; readonly remedy: string | undefined }

/** A remedy that this version does not know leaves the detail as it is. */
export function explainProblem(detail: string, shown: unknown): Explained {
  const remedy = readShownRemedy(shown as Json)
  if (remedy === undefined || !detail.endsWith(remedy.text)) return { detail, remedy: undefined }
  const bare = detail.slice(0, detail.length - remedy.text.length).trimEnd()
  return { detail: bare, remedy: writeRemedy(remedy).terminal }
}
