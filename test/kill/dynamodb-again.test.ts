/** Kill tests during healing and under an Idempotency-Key, on the embedded DynamoDB's file. */
import { healingSuite, keyedSuite } from './suite.ts'

healingSuite('dynamodb')
keyedSuite('dynamodb')
