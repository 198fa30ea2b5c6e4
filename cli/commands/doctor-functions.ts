/**
 * Whether the gateway may invoke the Lambda functions that shared skills name. Each check is a dry
 * run, by which AWS is asked for the permission; no function runs.
 */
import type { Invocation } from '../command/command.ts'
import { type AdminClient, type Fields, toAdminClient, toFields } from '../gateway/admin-client.ts'
import type { Target } from '../gateway/target.ts'
import { CommandFault, EXIT } from '../terminal/exit-code.ts'

/** Functions that one run checks: each is a request to AWS. */
export const FUNCTIONS_CHECKED_MAX = 20
/** Pages of skills that are read for them. */
const PAGES_MAX = 20

/** Throws a CommandFault that names the first missing permission. */
export async function checkFunctions(call: Invocation, target: Target): Promise<string> {
  try {
    return await checkAll(toAdminClient(call, target))
  } catch (cause) {
    // The check of the credential says what is wrong with it.
    const isAsked = cause instanceof CommandFault && cause.exitCode === EXIT.unauthenticated
    if (isAsked) return 'not checked: it needs an admin key'
    throw cause
  }
}

async function checkAll(admin: AdminClient): Promise<string> {
  const { isCut, skills } = await listFunctionSkills(admin)
  if (skills.length === 0) return 'no skill names a Lambda function'
  const faults: string[] = []
  for (const { skillId, source } of skills) {
    const path = `/skills/${String(source)}/${encodeURIComponent(String(skillId))}/dry-run`
    const { target } = await admin.send({ method: 'POST', path, body: { arguments: {} } })
    const { allowed, rule } = toFields(target)
    if (allowed !== true) faults.push(`${String(skillId)}: ${String(rule)}`)
  }
  const [first] = faults
  const scope = `${skills.length}${isCut ? ' first' : ''} skills with Lambda functions`
  if (first === undefined) return `the gateway may invoke those of ${scope}`
  throw new CommandFault(`${faults.length} of ${scope} cannot run. ${first}.`)
}

async function listFunctionSkills(
  admin: AdminClient,
): Promise<{ readonly skills: readonly Fields[]; readonly isCut: boolean }> {
  const byFunction = new Map<string, Fields>()
  let cursor: string | undefined
  for (let pages = 0; pages < PAGES_MAX; pages += 1) {
    const page = await admin.send({ method: 'GET', path: '/skills', query: { cursor } })
    const rows: readonly unknown[] = Array.isArray(page['skills']) ? page['skills'] : []
    for (const row of rows.map(toFields)) {
      const { lambda } = toFields(toFields(row['skill'])['config'])
      const key = JSON.stringify(lambda)
      if (lambda === undefined || lambda === null || byFunction.has(key)) continue
      if (byFunction.size === FUNCTIONS_CHECKED_MAX)
        return { skills: [...byFunction.values()], isCut: true }
      byFunction.set(key, row)
    }
    cursor = typeof page['nextCursor'] === 'string' ? page['nextCursor'] : undefined
    if (cursor === undefined) break
  }
  return { skills: [...byFunction.values()], isCut: cursor !== undefined }
}
