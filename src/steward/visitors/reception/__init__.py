"""What the front desk looks at all day: who comes, who is here, who left; and who has to be found when the house burns."""
