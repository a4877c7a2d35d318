# A nightly job under a lock: a lock table, a function that may use its own lock only, a schedule with retries, dead
# letters, a log and alarms. single-execution's CDK construct makes the same resources for this job.
locals {
  send_digest = {
    # The name of the lock, as the handler gives it to withSingleExecution.
    name = "send-digest"
    # Names on AWS begin with this text, which must differ between stages. Here a workspace is a stage; if your stage is
    # a variable, use the variable instead.
    full_name = "send-digest-${terraform.workspace}"
    # The retries and the NotTriggered alarm below are for one tick a day: if you change the schedule, change them too.
    schedule  = "cron(0 2 * * ? *)"
    time_zone = "Etc/UTC"
    # DidNotRun goes off after a run and its retries: if you change the timeout, change that alarm's periods too.
    timeout_seconds = 300
    # The bundled handler:
    # npx esbuild send-digest.ts --bundle --platform=node --target=node22 --main-fields=module,main \
    #   --minify --sourcemap --sources-content=false --outfile=dist/send-digest.js \
    #   && (cd dist && zip send-digest.zip send-digest.js send-digest.js.map)
    zip = "${path.module}/dist/send-digest.zip"
  }
}

data "aws_caller_identity" "send_digest" {}

data "aws_partition" "send_digest" {}

data "aws_region" "send_digest" {}

resource "aws_dynamodb_table" "send_digest_locks" {
  # No ttl: an expired lock still says which ticks are done.
  name                        = "${local.send_digest.full_name}-locks"
  billing_mode                = "PAY_PER_REQUEST"
  hash_key                    = "lockName"
  deletion_protection_enabled = true

  attribute {
    name = "lockName"
    type = "S"
  }

  point_in_time_recovery {
    enabled = true
  }

  lifecycle {
    prevent_destroy = true
  }
}

resource "aws_lambda_function" "send_digest" {
  function_name    = local.send_digest.full_name
  role             = aws_iam_role.send_digest_run.arn
  runtime          = "nodejs24.x"
  architectures    = ["arm64"]
  handler          = "send-digest.handler"
  memory_size      = 256
  timeout          = local.send_digest.timeout_seconds
  filename         = local.send_digest.zip
  source_code_hash = filebase64sha256(local.send_digest.zip)
  depends_on       = [aws_iam_role_policy.send_digest_run]

  logging_config {
    log_format = "Text"
    log_group  = aws_cloudwatch_log_group.send_digest.name
  }

  environment {
    variables = {
      SINGLE_EXECUTION_TIME_ZONE = local.send_digest.time_zone
      NODE_OPTIONS               = "--enable-source-maps"
      LOCK_TABLE                 = aws_dynamodb_table.send_digest_locks.name
      SINGLE_EXECUTION_NAMESPACE = "SingleExecution/${local.send_digest.full_name}"
      SINGLE_EXECUTION_SCHEDULE  = local.send_digest.schedule
    }
  }
}

resource "aws_cloudwatch_log_group" "send_digest" {
  name              = "/aws/lambda/${local.send_digest.full_name}"
  retention_in_days = 30
}

resource "aws_lambda_function_event_invoke_config" "send_digest" {
  # Lambda's retries of a failed run: all are over before the next tick, a day later.
  function_name                = aws_lambda_function.send_digest.function_name
  maximum_retry_attempts       = 2
  maximum_event_age_in_seconds = 21600

  destination_config {
    on_failure {
      destination = aws_sqs_queue.send_digest_dead_letters.arn
    }
  }
}

data "aws_iam_policy_document" "send_digest_run_trust" {
  statement {
    actions = ["sts:AssumeRole"]

    principals {
      type        = "Service"
      identifiers = ["lambda.amazonaws.com"]
    }
  }
}

resource "aws_iam_role" "send_digest_run" {
  # Names in IAM are unique over all regions, so Terraform completes this one.
  name_prefix        = "${substr(local.send_digest.name, 0, 28)}-run-"
  assume_role_policy = data.aws_iam_policy_document.send_digest_run_trust.json
}

data "aws_iam_policy_document" "send_digest_run" {
  statement {
    actions   = ["dynamodb:UpdateItem"]
    resources = [aws_dynamodb_table.send_digest_locks.arn]

    condition {
      test     = "ForAllValues:StringEquals"
      variable = "dynamodb:LeadingKeys"
      values   = [local.send_digest.name]
    }

    condition {
      test     = "Null"
      variable = "dynamodb:LeadingKeys"
      values   = ["false"]
    }
  }

  statement {
    actions   = ["logs:CreateLogStream", "logs:PutLogEvents"]
    resources = ["${aws_cloudwatch_log_group.send_digest.arn}:*"]
  }

  statement {
    actions   = ["sqs:GetQueueAttributes", "sqs:GetQueueUrl", "sqs:SendMessage"]
    resources = [aws_sqs_queue.send_digest_dead_letters.arn]
  }
}

resource "aws_iam_role_policy" "send_digest_run" {
  role   = aws_iam_role.send_digest_run.id
  policy = data.aws_iam_policy_document.send_digest_run.json
}

resource "aws_scheduler_schedule_group" "send_digest" {
  name = local.send_digest.full_name
}

resource "aws_scheduler_schedule" "send_digest" {
  name                         = local.send_digest.full_name
  group_name                   = aws_scheduler_schedule_group.send_digest.name
  schedule_expression          = local.send_digest.schedule
  schedule_expression_timezone = local.send_digest.time_zone
  state                        = "ENABLED"
  depends_on                   = [aws_iam_role_policy.send_digest_schedule]

  flexible_time_window {
    mode = "OFF"
  }

  target {
    arn      = aws_lambda_function.send_digest.arn
    role_arn = aws_iam_role.send_digest_schedule.arn
    # `time` is the scheduled time, the same in each delivery of a tick. The input is a text, because jsonencode would
    # escape the angle brackets, which Scheduler looks for.
    input = <<-JSON
        {
          "version": "0",
          "id": "<aws.scheduler.execution-id>",
          "detail-type": "Scheduled Event",
          "source": "aws.scheduler",
          "account": "${data.aws_caller_identity.send_digest.account_id}",
          "region": "${data.aws_region.send_digest.id}",
          "time": "<aws.scheduler.scheduled-time>",
          "resources": [
            "<aws.scheduler.schedule-arn>"
          ],
          "detail": {},
          "scheduledTime": "<aws.scheduler.scheduled-time>",
          "scheduleArn": "<aws.scheduler.schedule-arn>",
          "attemptNumber": "<aws.scheduler.attempt-number>"
        }
      JSON

    retry_policy {
      # Retries of a delivery that Lambda did not accept, until the next tick, a day later.
      maximum_retry_attempts       = 185
      maximum_event_age_in_seconds = 86400
    }

    dead_letter_config {
      arn = aws_sqs_queue.send_digest_dead_letters.arn
    }
  }
}

data "aws_iam_policy_document" "send_digest_schedule_trust" {
  statement {
    actions = ["sts:AssumeRole"]

    principals {
      type        = "Service"
      identifiers = ["scheduler.amazonaws.com"]
    }

    condition {
      test     = "StringEquals"
      variable = "aws:SourceAccount"
      values   = [data.aws_caller_identity.send_digest.account_id]
    }

    condition {
      test     = "StringEquals"
      variable = "aws:SourceArn"
      values   = ["arn:${data.aws_partition.send_digest.partition}:scheduler:${data.aws_region.send_digest.id}:${data.aws_caller_identity.send_digest.account_id}:schedule-group/${aws_scheduler_schedule_group.send_digest.name}"]
    }
  }
}

resource "aws_iam_role" "send_digest_schedule" {
  name_prefix        = "${substr(local.send_digest.name, 0, 28)}-schedule-"
  assume_role_policy = data.aws_iam_policy_document.send_digest_schedule_trust.json
}

data "aws_iam_policy_document" "send_digest_schedule" {
  statement {
    actions   = ["lambda:InvokeFunction"]
    resources = [aws_lambda_function.send_digest.arn]
  }

  statement {
    actions   = ["sqs:SendMessage"]
    resources = [aws_sqs_queue.send_digest_dead_letters.arn]
  }
}

resource "aws_iam_role_policy" "send_digest_schedule" {
  role   = aws_iam_role.send_digest_schedule.id
  policy = data.aws_iam_policy_document.send_digest_schedule.json
}

resource "aws_sqs_queue" "send_digest_dead_letters" {
  name                      = "${local.send_digest.full_name}-dead-letters"
  message_retention_seconds = 1209600 # 14 days
  sqs_managed_sse_enabled   = true
}

data "aws_iam_policy_document" "send_digest_dead_letters" {
  statement {
    effect    = "Deny"
    actions   = ["sqs:*"]
    resources = [aws_sqs_queue.send_digest_dead_letters.arn]

    principals {
      type        = "AWS"
      identifiers = ["*"]
    }

    condition {
      test     = "Bool"
      variable = "aws:SecureTransport"
      values   = ["false"]
    }
  }
}

resource "aws_sqs_queue_policy" "send_digest_dead_letters" {
  queue_url = aws_sqs_queue.send_digest_dead_letters.url
  policy    = data.aws_iam_policy_document.send_digest_dead_letters.json
}

resource "aws_sns_topic" "send_digest_alarms" {
  # Subscribe to this topic: without a subscription no alarm reaches anybody.
  name = "${local.send_digest.full_name}-alarms"
}

resource "aws_cloudwatch_metric_alarm" "send_digest_dead_letters" {
  alarm_name          = "${local.send_digest.full_name}-dead-letters"
  alarm_description   = "${local.send_digest.name}: a tick was given up after all retries. The message in the queue has its event and the reason. What to do: docs/on-call.md#deadletters of single-execution."
  namespace           = "AWS/SQS"
  metric_name         = "ApproximateNumberOfMessagesVisible"
  dimensions          = { QueueName = aws_sqs_queue.send_digest_dead_letters.name }
  statistic           = "Maximum"
  period              = 300
  comparison_operator = "GreaterThanOrEqualToThreshold"
  threshold           = 1
  evaluation_periods  = 1
  treat_missing_data  = "ignore"
  alarm_actions       = [aws_sns_topic.send_digest_alarms.arn]
}

resource "aws_cloudwatch_metric_alarm" "send_digest_dead_letters_lost" {
  alarm_name          = "${local.send_digest.full_name}-dead-letters-lost"
  alarm_description   = "${local.send_digest.name}: a tick or a failed run was given up and could not be sent to the dead-letter queue, so it is lost. See whether Lambda and EventBridge may send to the queue and use its key. What to do: docs/on-call.md#deadletterslost of single-execution."
  comparison_operator = "GreaterThanOrEqualToThreshold"
  threshold           = 1
  evaluation_periods  = 1
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.send_digest_alarms.arn]

  metric_query {
    id          = "expr_1"
    expression  = "lost_1 + lost_2"
    label       = "dead letters lost"
    return_data = true
  }

  metric_query {
    id          = "lost_1"
    return_data = false

    metric {
      namespace   = "AWS/Scheduler"
      metric_name = "InvocationsFailedToBeSentToDeadLetterCount"
      dimensions  = { ScheduleGroup = aws_scheduler_schedule_group.send_digest.name }
      stat        = "Sum"
      period      = 300
    }
  }

  metric_query {
    id          = "lost_2"
    return_data = false

    metric {
      namespace   = "AWS/Lambda"
      metric_name = "DestinationDeliveryFailures"
      dimensions  = { FunctionName = aws_lambda_function.send_digest.function_name }
      stat        = "Sum"
      period      = 300
    }
  }
}

resource "aws_cloudwatch_metric_alarm" "send_digest_did_not_run" {
  alarm_name          = "${local.send_digest.full_name}-did-not-run"
  alarm_description   = "Lock \"${local.send_digest.name}\": a tick of ${local.send_digest.schedule} was sent, and no run has done it. See whether the function is invoked, and whether its runs are skipped or paused. What to do: docs/on-call.md#didnotrun of single-execution."
  comparison_operator = "LessThanThreshold"
  threshold           = 1
  evaluation_periods  = 24
  treat_missing_data  = "ignore"
  alarm_actions       = [aws_sns_topic.send_digest_alarms.arn]

  metric_query {
    id          = "expr_1"
    expression  = "FILL(IF(attempted + executed + IF(errors, errors), executed + errors, 0), REPEAT)"
    label       = "${local.send_digest.name}: whether the last tick was done"
    return_data = true
  }

  metric_query {
    id          = "attempted"
    return_data = false

    metric {
      namespace   = "AWS/Scheduler"
      metric_name = "InvocationAttemptCount"
      dimensions  = { ScheduleGroup = aws_scheduler_schedule_group.send_digest.name }
      stat        = "Sum"
      period      = 60
    }
  }

  metric_query {
    id          = "executed"
    return_data = false

    metric {
      namespace   = "SingleExecution/${local.send_digest.full_name}"
      metric_name = "Executed"
      dimensions  = { LockName = local.send_digest.name }
      stat        = "SampleCount"
      period      = 60
    }
  }

  metric_query {
    id          = "errors"
    return_data = false

    metric {
      namespace   = "AWS/Lambda"
      metric_name = "Errors"
      dimensions  = { FunctionName = aws_lambda_function.send_digest.function_name }
      stat        = "Sum"
      period      = 60
    }
  }
}

resource "aws_cloudwatch_metric_alarm" "send_digest_not_triggered" {
  alarm_name          = "${local.send_digest.full_name}-not-triggered"
  alarm_description   = "Lock \"${local.send_digest.name}\": no tick was sent for longer than ${local.send_digest.schedule} allows. See whether the schedule is on. What to do: docs/on-call.md#nottriggered of single-execution."
  comparison_operator = "GreaterThanOrEqualToThreshold"
  threshold           = 97020
  evaluation_periods  = 12
  datapoints_to_alarm = 1
  treat_missing_data  = "ignore"
  alarm_actions       = [aws_sns_topic.send_digest_alarms.arn]

  metric_query {
    id          = "expr_1"
    expression  = "IF(last, EPOCH(last) - last)"
    label       = "${local.send_digest.name}: seconds since it was heard of"
    return_data = true
  }

  metric_query {
    id          = "last"
    expression  = "FILL(IF(attempted + executed, EPOCH(attempted)), REPEAT)"
    label       = "when it was last heard of"
    return_data = false
  }

  metric_query {
    id          = "attempted"
    return_data = false

    metric {
      namespace   = "AWS/Scheduler"
      metric_name = "InvocationAttemptCount"
      dimensions  = { ScheduleGroup = aws_scheduler_schedule_group.send_digest.name }
      stat        = "Sum"
      period      = 8820
    }
  }

  metric_query {
    id          = "executed"
    return_data = false

    metric {
      namespace   = "SingleExecution/${local.send_digest.full_name}"
      metric_name = "Executed"
      dimensions  = { LockName = local.send_digest.name }
      stat        = "SampleCount"
      period      = 8820
    }
  }
}

resource "aws_cloudwatch_metric_alarm" "send_digest_lock_lost" {
  alarm_name          = "${local.send_digest.full_name}-lock-lost"
  alarm_description   = "${local.send_digest.name}: a run continued past its lease, or an operator unlocked it; two runs may have overlapped. See the log for \"lost\". What to do: docs/on-call.md#locklost of single-execution."
  namespace           = "SingleExecution/${local.send_digest.full_name}"
  metric_name         = "LockLost"
  dimensions          = { FunctionName = aws_lambda_function.send_digest.function_name }
  statistic           = "Sum"
  period              = 300
  comparison_operator = "GreaterThanOrEqualToThreshold"
  threshold           = 1
  evaluation_periods  = 1
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.send_digest_alarms.arn]
}

resource "aws_cloudwatch_metric_alarm" "send_digest_failed" {
  alarm_name          = "${local.send_digest.full_name}-failed"
  alarm_description   = "${local.send_digest.name}: a run failed, was killed at its timeout, or could not reach the lock table. See the function's log. What to do: docs/on-call.md#failed of single-execution."
  namespace           = "AWS/Lambda"
  metric_name         = "Errors"
  dimensions          = { FunctionName = aws_lambda_function.send_digest.function_name }
  statistic           = "Sum"
  period              = 300
  comparison_operator = "GreaterThanOrEqualToThreshold"
  threshold           = 1
  evaluation_periods  = 3
  datapoints_to_alarm = 1
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.send_digest_alarms.arn]
}

resource "aws_cloudwatch_metric_alarm" "send_digest_long_run" {
  alarm_name          = "${local.send_digest.full_name}-long-run"
  alarm_description   = "${local.send_digest.name}: a run took over 90 % of the timeout of 5 minutes, at which it is killed. Raise the timeout, or make the job shorter. What to do: docs/on-call.md#longrun of single-execution."
  namespace           = "AWS/Lambda"
  metric_name         = "Duration"
  dimensions          = { FunctionName = aws_lambda_function.send_digest.function_name }
  statistic           = "Maximum"
  period              = 300
  comparison_operator = "GreaterThanOrEqualToThreshold"
  threshold           = 0.9 * local.send_digest.timeout_seconds * 1000
  evaluation_periods  = 3
  datapoints_to_alarm = 1
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.send_digest_alarms.arn]
}

resource "aws_cloudwatch_metric_alarm" "send_digest_clock_skew" {
  alarm_name          = "${local.send_digest.full_name}-clock-skew"
  alarm_description   = "${local.send_digest.name}: a host's clock is off by more than maxClockSkew. No two runs overlap because of it; lockAtLeastFor and takeovers are off by as much. See the log for \"clock-skew\". What to do: docs/on-call.md#clockskew of single-execution."
  namespace           = "SingleExecution/${local.send_digest.full_name}"
  metric_name         = "ClockSkew"
  dimensions          = { FunctionName = aws_lambda_function.send_digest.function_name }
  statistic           = "Maximum"
  period              = 300
  comparison_operator = "GreaterThanOrEqualToThreshold"
  threshold           = 1
  evaluation_periods  = 1
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.send_digest_alarms.arn]
}
