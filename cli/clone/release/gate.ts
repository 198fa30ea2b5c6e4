/**
 * The gate of a canary: the two composite alarms that page somebody. Other alarms of the stage do
 * not count.
 */
import type { AwsAccount } from '../../aws/ask-service.ts'
import { toQueryRequest } from '../../aws/query-request.ts'
import { decodeXml } from './stack.ts'

const GATES = ['AgentsHurt', 'MoneyInDoubt'] as const

export type Gate = {
  /** The composite alarms that exist. */
  readonly known: readonly string[]
  readonly ringing: readonly string[]
}

export async function readGate(account: AwsAccount, stage: string): Promise<Gate> {
  const wanted: readonly string[] = GATES.map((gate) => `Skillgate-${stage}-${gate}`)
  const form = {
    Action: 'DescribeAlarms',
    Version: '2010-08-01',
    // By name: a prefix would also list alarms of a stage whose name begins with this one's.
    ...Object.fromEntries(wanted.map((name, at) => [`AlarmNames.member.${at + 1}`, name])),
    'AlarmTypes.member.1': 'CompositeAlarm',
  }
  const xml = await account.ask(toQueryRequest('monitoring', form))
  // Each alarm has one name and one state.
  const names = readAll(xml, 'AlarmName')
  const states = readAll(xml, 'StateValue')
  const known = names.filter((name) => wanted.includes(name))
  return { known, ringing: known.filter((name) => states[names.indexOf(name)] === 'ALARM') }
}

function readAll(xml: string, name: string): readonly string[] {
  const elements = xml.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, 'g'))
  return [...elements].map(([, text = '']) => decodeXml(text))
}
