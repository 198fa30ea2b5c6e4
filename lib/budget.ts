/**
 * A monthly budget that mails before the bill comes. It counts the whole account, since a budget of one stage
 * needs cost allocation tags, which an administrator switches on by hand. It stops nothing.
 */
import type { Stack } from 'aws-cdk-lib'
import * as budgets from 'aws-cdk-lib/aws-budgets'
import type { WatchedStage } from './alarm-topic.ts'

/** Percents of the budget, of what was spent and of what AWS expects by the end of the month. */
const MAILS = [
  { notificationType: 'ACTUAL', threshold: 80 },
  { notificationType: 'ACTUAL', threshold: 100 },
  { notificationType: 'FORECASTED', threshold: 100 },
] as const

export function addBudget(scope: Stack, stage: WatchedStage): void {
  const { alarmEmail, monthlyBudgetUsd } = stage
  if (alarmEmail === undefined || monthlyBudgetUsd === undefined) return
  new budgets.CfnBudget(scope, 'Budget', {
    budget: {
      budgetType: 'COST',
      timeUnit: 'MONTHLY',
      budgetLimit: { amount: monthlyBudgetUsd, unit: 'USD' },
    },
    notificationsWithSubscribers: MAILS.map(({ notificationType, threshold }) => ({
      notification: {
        notificationType,
        comparisonOperator: 'GREATER_THAN',
        threshold,
        thresholdType: 'PERCENTAGE',
      },
      subscribers: [{ subscriptionType: 'EMAIL', address: alarmEmail }],
    })),
  })
}
