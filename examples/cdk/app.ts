/**
 * A CDK app of a team that has Skillgate beside stacks of its own: a stage of the gateway, and a
 * page of the team that shows its address. docs/deploy.md, In a CDK app of your own, says how an
 * app gets the package `skillgate`.
 */
import { App, CfnOutput, Stack } from 'aws-cdk-lib'
import { Skillgate } from 'skillgate/cdk'

const app = new App()

const gateway = new Skillgate(app, 'Gateway', {
  name: 'team-a',
  like: 'prod',
  account: '111111111111',
  region: 'eu-central-1',
  alarmEmail: 'on-call@example.com',
  monthlyBudgetUsd: 200,
  outboundAllow: ['tickets.example.com'],
})

// What other stacks need of the stage are its properties.
const portal = new Stack(app, 'Portal', {
  env: { account: '111111111111', region: 'eu-central-1' },
})
new CfnOutput(portal, 'ToolsUrl', { value: gateway.mcpUrl })

app.synth()
