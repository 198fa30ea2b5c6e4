/**
 * Whether the gateway may invoke the Lambda functions that shared skills name. Each check is a dry
 * run, by which AWS is asked for the permission; no function runs.
 */
import type { Invocation } from '../command/command.ts'
import { type AdminClient, type Fields, toAdminClient, toFields } from '../gateway/admin-client.ts'
import type { Target } from '../gateway/target.ts'
import { CommandFault } from '../terminal/exit-code.ts'
import { checkAsAdmin } from './check-as-admin.ts'

/** Functions that one run checks: each is a request to AWS. */
export const FUNCTIONS_CHECKED_MAX = 20
/** Pages of skills that are read for them. */
const PAGES_MAX = 20

/** Throws a CommandFault that names the first missing permission. */
export function checkFunctions(call: Invocation, target: Target): Promise<string> {
  return checkAsAdmin(() => checkAll(toAdminClient(call, target)))
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

type FunctionSkills = { readonly skills: readonly Fields[]; readonly isCut: boolean }

/** One skill for each function, with its version or alias. */
async function listFunctionSkills(admin: AdminClient): Promise<FunctionSkills> {
  const byFunction = new Map<string, Fields>()
  let cursor: string | undefined
  for (let pages = 0; pages < PAGES_MAX; pages += 1) {
    const page = await admin.send({ method: 'GET', path: '/skills', query: { cursor } })
    addFunctions(byFunction, page)
    cursor = typeof page['nextCursor'] === 'string' ? page['nextCursor'] : undefined
    if (cursor === undefined || byFunction.size > FUNCTIONS_CHECKED_MAX) break
  }
  const isCut = cursor !== undefined || byFunction.size > FUNCTIONS_CHECKED_MAX
  return { skills: [...byFunction.values()].slice(0, FUNCTIONS_CHECKED_MAX), isCut }
}

function addFunctions(byFunction: Map<string, Fields>, { skills }: Fields): void {
  const rows: readonly unknown[] = Array.isArray(skills) ? skills : []
  for (const row of rows.map(toFields)) {
    const name = writeFunction(row)
    if (name !== undefined) byFunction.set(name, byFunction.get(name) ?? row)
  }
}

/** Returns undefined for a skill without a function. */
function writeFunction(row: Fields): string | undefined {
  const { function: name, qualifier } = toFields(
    toFields(toFields(row['skill'])['config'])['lambda'],
  )
  return typeof name === 'string' ? `${name}:${String(qualifier)}` : undefined
}
