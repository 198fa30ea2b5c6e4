/**
 * Sets the parameters of the stack to the versions at which the aliases stand, so that no update of
 * the stack moves an alias:
 *
 *   deploy     aliases at 8 ─ UpdateStack(8) ─ CloudFormation: UpdateAlias(8) ─ complete
 *   rollback      aliases → 7 ── waits for the stack ─────────────────────────── aliases at 8:
 *                                                                  → 7, then UpdateStack(7)
 *
 * A command that dies before UpdateStack leaves a parameter that differs. Its alias stays, because
 * CloudFormation compares the parameter with its own last value. The next deploy reads the alias
 * and gives its version as the parameter.
 */
import type { AwsAccount } from '../../aws/ask-service.ts'
import { type AliasState, readAliases, readDoors, toVersionSet } from './aliases.ts'
import type { Progress } from './shift.ts'
import { awaitStack, setParameters } from './stack.ts'

/**
 * Waits until nothing changes the stack, has `settle` move aliases that CloudFormation moved
 * meanwhile, and sets the parameters. Throws an Error if the stack cannot be updated.
 */
export async function agreeOnVersions(
  account: AwsAccount,
  name: string,
  { pause, say }: Progress,
  settle: (states: readonly AliasState[]) => Promise<readonly AliasState[]> = async (states) =>
    states,
): Promise<void> {
  const stack = await awaitStack(account, name, pause)
  const doors = readDoors(stack.outputs)
  const live = toVersionSet(await settle(await readAliases(account, doors)))
  const values = Object.fromEntries(
    doors.flatMap(({ door, parameter }) => {
      const version = live[door]
      return version === undefined || stack.parameters[parameter] === version
        ? []
        : [[parameter, version]]
    }),
  )
  if (Object.keys(values).length === 0) return
  say('telling CloudFormation which versions are live')
  await setParameters(account, { name, stack, values }, pause)
  say('CloudFormation names the live versions')
}
