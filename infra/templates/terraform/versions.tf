terraform {
  required_version = ">= 1.5"

  required_providers {
    aws = {
      source = "hashicorp/aws"
      # Older versions refuse nodejs24.x.
      version = ">= 6.19"
    }
  }
}
