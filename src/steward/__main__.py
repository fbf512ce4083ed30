from steward.cli import main

if __name__ == "__main__":
    main()
