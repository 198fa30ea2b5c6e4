/** Stages that have, together, every option that adds a permission to a function. */
import type { Stage } from '../../lib/stage.ts'
import { getStage } from '../../lib/stages.ts'
import { type FunctionGrants, readGrants } from './grants.ts'

const FULL: Stage = {
  ...getStage('prod'),
  alarmEmail: 'none',
  replyTail: 'dynamodb-streams',
  capacity: 'provisioned',
  eventTargets: ['https://hook.example/events'],
  privateHosts: ['billing.corp.example'],
  vpcSubnetIds: ['subnet-0123456789abcdef0'],
  vpcSecurityGroupIds: ['sg-0123456789abcdef0'],
  signedAccess: ['arn:aws:iam::111111111111:role/reader-of-orders'],
  lambdaUpstreams: ['orders-*'],
  publicOrigin: 'https://mcp.example.com',
  login: true,
  issuers: [
    {
      issuer: 'https://login.example',
      audiences: ['api://gateway'],
      introspection: {
        url: 'https://login.example/introspect',
        clientId: 'gateway',
        clientSecret: 'introspection-secret',
      },
    },
  ],
}

const STAGES: readonly Stage[] = [FULL, { ...FULL, eventTargets: ['bus:alerts'] }]

/** Returns the grants of all these stages. Synthesizes: call it outside of tests. */
export function readAllGrants(): FunctionGrants {
  const all = STAGES.map(readGrants)
  const names = new Set(all.flatMap((grants) => Object.keys(grants)))
  return Object.fromEntries(
    [...names].map((name) => {
      const grants = all.flatMap((one) => one[name] ?? [])
      const byText = new Map(grants.map((one) => [JSON.stringify(one), one]))
      return [name, [...byText.values()]]
    }),
  )
}
