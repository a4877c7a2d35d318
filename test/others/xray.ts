export {
  captureAWSv3Client,
  enableManualMode,
  getNamespace,
  Segment,
  setDaemonAddress,
  setSegment,
} from 'aws-xray-sdk-core';
