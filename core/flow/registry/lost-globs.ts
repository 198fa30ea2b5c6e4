/**
 * Warns of API keys whose globs match private tools only by their names before the user was
 * renamed. The keys are not changed: an adapted glob could match tools that the administrator did
 * not mean. Bound by ADR 0108.
 */
import { matchesGlob } from '../../access/match-glob.ts'
import type { Ports } from '../../ports/ports.ts'

/** A tool of a private skill with its names before and after its owner was renamed. */
export type RenamedTool = { readonly before: string; readonly after: string }

/** Number of keys that one answer names. Further keys are only counted. */
const KEYS_NAMED_MAX = 20

/**
 * Returns a warning for each key of the user with such globs. Reads no keys if no tool changed its
 * name. Throws `Fault` if the store fails.
 */
export async function findLostGlobs(
  { keys }: { readonly keys: Pick<Ports['keys'], 'list'> },
  uid: string,
  tools: readonly RenamedTool[],
): Promise<readonly string[]> {
  const renamed = tools.filter(({ after, before }) => after !== before)
  if (renamed.length === 0) return []
  const warnings = (await keys.list(uid)).flatMap(({ keyPrefix, scope }) => {
    const lost = (scope?.tools ?? []).filter((glob) => isLost(glob, renamed))
    if (lost.length === 0) return []
    return [
      `tools: the key ${keyPrefix} has globs that match private tools by their old names only: ${lost.join(', ')}. Change the globs of the key.`,
    ]
  })
  const more = warnings.length - KEYS_NAMED_MAX
  const named = warnings.slice(0, KEYS_NAMED_MAX)
  return more > 0 ? [...named, `tools: so have ${more} further keys.`] : named
}

/** True if the glob matched a tool by its old name and does not match that tool any more. */
function isLost(glob: string, renamed: readonly RenamedTool[]): boolean {
  return renamed.some(({ after, before }) => matchesGlob(glob, before) && !matchesGlob(glob, after))
}
