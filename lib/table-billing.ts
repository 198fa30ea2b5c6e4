/** How a table is paid: on demand, or by a capacity that DynamoDB's auto scaling fits to the load. */
import * as dynamodb from 'aws-cdk-lib/aws-dynamodb'
import { GATEWAY_TABLE, type TableDefinition } from '../adapters/dynamodb/table.ts'
import { STAGE_FIELDS, type Stage, type UnitsPerSec } from './stage.ts'
import { TARGET_PERCENT } from './table-scaling.ts'

export function billingOf(definition: TableDefinition, stage: Stage): dynamodb.Billing {
  const { capacity, tableUnitsPerSec: most } = stage
  if (capacity === 'provisioned' && definition === GATEWAY_TABLE) return provisioned(stage)
  if (most === undefined) return dynamodb.Billing.onDemand()
  return dynamodb.Billing.onDemand({
    maxWriteRequestUnits: most.write,
    maxReadRequestUnits: most.read,
  })
}

function provisioned({ provisionedUnitsMin, tableUnitsPerSec }: Stage): dynamodb.Billing {
  const capacityOf = (kind: keyof UnitsPerSec) =>
    dynamodb.Capacity.autoscaled({
      minCapacity: provisionedUnitsMin[kind],
      maxCapacity: tableUnitsPerSec?.[kind] ?? STAGE_FIELDS.tableUnitsPerSec.max,
      // CloudFormation demands it where a table that is on demand becomes provisioned.
      seedCapacity: provisionedUnitsMin[kind],
      targetUtilizationPercent: TARGET_PERCENT[kind],
    })
  return dynamodb.Billing.provisioned({
    readCapacity: capacityOf('read'),
    writeCapacity: capacityOf('write'),
  })
}
