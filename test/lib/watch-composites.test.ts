/** The composite alarms as they are deployed: which alarms they have, and whom they notify. */
import { describe, expect, test } from 'vitest'
import { COMPOSITES } from '../../lib/alarms.ts'
import { plainText, propertiesOf, watchTemplate } from './watch-template.ts'

const TEMPLATE = watchTemplate()
const ALARMS = TEMPLATE.findResources('AWS::CloudWatch::Alarm')
const DEPLOYED = propertiesOf(TEMPLATE, 'AWS::CloudWatch::CompositeAlarm').map((composite) => ({
  name: plainText(composite['AlarmName']),
  rule: plainText(composite['AlarmRule']),
  text: plainText(composite['AlarmDescription']),
  topics: [composite['AlarmActions']].flat().map(plainText),
}))

/** The alarms of a composite: `ALARM("<SseFull1A2B3C4D.Arn>")` in its rule. */
function alarmsIn(rule: string): readonly string[] {
  return [...rule.matchAll(/ALARM\("<(\w+)\.Arn>"\)/g)].map(([, id = '']) => id)
}

function namesIn(rule: string): readonly string[] {
  return alarmsIn(rule).map((id) =>
    plainText(ALARMS[id]?.['Properties'].AlarmName).replace('Skillgate-dev-', ''),
  )
}

/** CloudWatch's limits of a composite (PutCompositeAlarm). */
const CHILDREN_MAX = 100
const RULE_CHARS_MAX = 10_240
const TEXT_CHARS_MAX = 1_024
/** An ARN with the longest names of a stage and of a region. */
const ARN_CHARS =
  'arn:aws:cloudwatch:ap-southeast-99:123456789012:alarm:Skillgate--'.length + 16 + 24

describe('the composite alarms', () => {
  test('are those that a deploy watches by their names, and one more', () => {
    expect(DEPLOYED.map(({ name }) => name)).toEqual([
      'Skillgate-dev-AgentsHurt',
      'Skillgate-dev-MoneyInDoubt',
      'Skillgate-dev-Operations',
    ])
    expect(COMPOSITES.filter(({ pages }) => pages).map(({ name }) => name)).toEqual([
      'AgentsHurt',
      'MoneyInDoubt',
    ])
  })

  test('have every alarm once, and are on while any of theirs is', () => {
    const children = DEPLOYED.flatMap(({ rule }) => alarmsIn(rule))
    expect([...children].sort()).toEqual(Object.keys(ALARMS).sort())
    for (const { rule } of DEPLOYED) {
      expect(rule).toMatch(/^\(ALARM\("[^"]+"\)( OR ALARM\("[^"]+"\))+\)$/)
    }
  })

  test('page for what hurts agents or may be a wrong charge, and for nothing else', () => {
    expect(DEPLOYED.map(({ rule }) => namesIn(rule))).toEqual([
      [
        'FunctionsDied',
        'UrlsFail',
        'SseThrottles',
        'MessagesThrottles',
        'McpThrottles',
        'ExecuteThrottles',
        'MessagesSlow',
        'McpSlow',
        'ExecuteSlow',
        'RepliesSlow',
        'UpstreamsFail',
        'InternalErrors',
        'SecretsUnreadable',
        'StoreRefusals',
        'GatewayTableFails',
        'SessionsTableFails',
      ],
      [
        'FreeByCrash',
        'ChargesInDoubt',
        'OutcomesUnwritten',
        'ChargesUnsummed',
        'ManyVoids',
        'SweepSilent',
        'SweepBehind',
        'UsageLost',
      ],
      [
        'SseFull',
        'McpFull',
        'AccountFull',
        'AdminApiFailed',
        'EventsFailed',
        'UpstreamToolsChanged',
        'AdminAuthFailed',
        'AdminSecretsStale',
        'UsageBehind',
      ],
    ])
  })

  test('notify the topic of mails, and the two that page the topic of pages, too', () => {
    const [mail, page] = Object.keys(TEMPLATE.findResources('AWS::SNS::Topic'))
    expect([mail, page]).toEqual([
      expect.stringMatching(/^Alarms/),
      expect.stringMatching(/^Pages/),
    ])
    expect(DEPLOYED.map(({ topics }) => topics)).toEqual([
      [`<${mail}>`, `<${page}>`],
      [`<${mail}>`, `<${page}>`],
      [`<${mail}>`],
    ])
  })

  test('say in the mail where to look: the section, the page of the alarm, and the dashboard', () => {
    const [agents] = DEPLOYED
    const region = '<AWS::Region>'
    const console = `https://${region}.console.aws.amazon.com/cloudwatch/home?region=${region}`
    expect(agents?.text.split('\n')).toEqual([
      'Agents get errors, get no answers, or wait too long.',
      'What to do: docs/operations.md, Alarm: AgentsHurt.',
      `Which alarms are on: ${console}#alarmsV2:alarm/Skillgate-dev-AgentsHurt`,
      `All numbers: ${console}#dashboards/dashboard/Skillgate-dev-${region}`,
    ])
    for (const { text } of DEPLOYED) expect(text.length).toBeLessThanOrEqual(TEXT_CHARS_MAX)
  })

  test('stay below the limits of CloudWatch', () => {
    for (const { rule } of DEPLOYED) {
      const children = alarmsIn(rule).length
      expect(children).toBeLessThanOrEqual(CHILDREN_MAX)
      const around = 'ALARM("") OR '.length
      expect(children * (ARN_CHARS + around)).toBeLessThanOrEqual(RULE_CHARS_MAX)
    }
  })
})
