/**
 * Tools that a call of an unknown name may mean: what the search finds by the words of that name.
 * It is counted like a search of the caller, so a model that guesses names cannot read without end.
 */
import { Fault } from '../../errors.ts'
import { isJsonObject } from '../../json/json.ts'
import { isGeneralVerb, splitWords } from '../../search/search-words.ts'
import type { Settings } from '../../settings.ts'
import { SEARCH_QUERY_CHARS_MAX } from '../../skills/limits.ts'
import { type BuiltInCall, type BuiltInNeeds, runBuiltIn } from './call-built-in.ts'
import { SEARCH_SKILLS } from './search-skills.ts'

/** More names would be a list to read. */
export const NEAR_NAMES_MAX = 3

/** [] if there is none, the caller may not search now, or the store fails. */
export async function findNearNames(
  ports: BuiltInNeeds,
  settings: Settings,
  {
    credential,
    lists,
    name,
  }: Pick<BuiltInCall, 'credential' | 'lists'> & { readonly name: string },
): Promise<readonly string[]> {
  const own = name.startsWith(`${settings.prefix}_`) ? name.slice(settings.prefix.length + 1) : name
  // Every other tool gets, lists or shows something.
  const query = splitWords(own.slice(0, SEARCH_QUERY_CHARS_MAX))
    .filter((word) => !isGeneralVerb(word))
    .join(' ')
    .slice(0, SEARCH_QUERY_CHARS_MAX)
  try {
    const search = { credential, lists, arguments: { query, limit: NEAR_NAMES_MAX } }
    const run = await runBuiltIn(ports, settings, SEARCH_SKILLS, search)
    const found = run.kind === 'answered' ? run.result.structuredContent : undefined
    const tools = isJsonObject(found) && Array.isArray(found['tools']) ? found['tools'] : []
    return tools.flatMap((tool) =>
      isJsonObject(tool) && typeof tool['name'] === 'string' ? [tool['name']] : [],
    )
  } catch (cause) {
    if (!(cause instanceof Fault)) throw cause
    return []
  }
}
